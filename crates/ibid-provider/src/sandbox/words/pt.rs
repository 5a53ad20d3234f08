//! Portuguese.

use super::Words;

pub(super) const PT: Words = Words {
    tag: "pt",
    sites: "sites",
    intro_placed: [
        "Estas são algumas opções de {k} em {m} que costumam ser recomendadas:",
        "Para {k} em {m}, estes são os nomes que eu veria primeiro:",
        "Quem pergunta por {k} em {m} ouve quase sempre estes nomes:",
    ],
    intro: [
        "Estas são algumas opções de {k} que costumam ser recomendadas:",
        "Para {k}, estes são os nomes que eu veria primeiro:",
        "Quem pergunta por {k} ouve quase sempre estes nomes:",
    ],
    reasons: [
        "tem preços claros e responde rápido",
        "recebe ótimas avaliações pelo atendimento",
        "está no mercado há mais de vinte anos",
        "é uma boa escolha para quem precisa de horário logo",
        "trabalha com cuidado e explica cada passo",
        "oferece pacotes justos para clientes frequentes",
        "é um negócio pequeno, próximo e fácil de contatar",
        "atende toda a região e também aos fins de semana",
        "se destaca mais pela qualidade do que pelo preço",
        "publica os preços na internet, o que facilita comparar",
    ],
    first: [
        "Se eu tivesse de escolher um, ficaria com {n}: {r}.",
        "Minha primeira recomendação é {n}, que {r}.",
        "Eu começaria por {n}, porque {r}.",
    ],
    next: [
        "{n} {r}.",
        "Outra boa opção é {n}, que {r}.",
        "Também vale tentar {n}; {r}.",
        "Recomendo ainda {n}, pois {r}.",
    ],
    enumerate: [
        "Eu recomendaria {l}.",
        "Os nomes mais recomendados são {l}.",
        "Boas opções são {l}.",
    ],
    joints: [", ", " e "],
    best: "Melhor opção geral",
    labels: [
        "Melhor custo-benefício",
        "Ideal para famílias",
        "Mais experiência",
        "Para horários rápidos",
        "Opção premium",
        "Também vale conhecer",
    ],
    heads: ["Nome", "Por quê", "Site"],
    compare: [
        "Dá para comparar avaliações recentes em {l}.",
        "Para mais opiniões, veja {l}.",
    ],
    advice: (
        "Antes de decidir",
        [
            ("Preço", "peça um orçamento por escrito"),
            ("Avaliações", "leia as mais recentes"),
            ("Disponibilidade", "pergunte pelo próximo horário"),
        ],
    ),
    outro: [
        "Horários e preços mudam, por isso confirme diretamente.",
        "Se me disser o seu orçamento, posso refinar a lista.",
        "Eu falaria com dois ou três e compararia.",
    ],
    warnings: [
        "Eu evitaria {n}: avaliações recentes falam de longas esperas e contas pouco claras.",
        "{n} já foi muito procurado, mas parece ter fechado definitivamente.",
        "No momento não recomendo {n}.",
    ],
    refusals: [
        "Desculpe, mas não posso recomendar empresas específicas. Um guia local ou avaliações recentes vão ajudar mais.",
        "Não tenho informações confiáveis e atualizadas sobre prestadores específicos, por isso prefiro não citar nenhum.",
    ],
    questions: [
        "Pode me contar um pouco mais sobre o que precisa? Para {k}, orçamento, prazo e bairro fazem diferença.",
        "Claro, ajudo com {k}! É para você ou para uma empresa, e para quando?",
    ],
    stop: ".",
    directories: [
        ("Reclame Aqui", "https://www.reclameaqui.com.br/busca/?q="),
        ("Tripadvisor", "https://www.tripadvisor.com.br/Search?q="),
        ("Trustpilot", "https://pt.trustpilot.com/search?query="),
        ("Páginas Amarelas", "https://www.pai.pt/q/"),
    ],
    media: [
        (
            "Alguma recomendação? : r/brasil",
            "https://www.reddit.com/r/brasil/comments/1f2v9sn/alguma_recomendacao/",
        ),
        ("Wikipédia", "https://pt.wikipedia.org/wiki/Consumidor"),
        (
            "O que dizem os moradores - YouTube",
            "https://www.youtube.com/watch?v=s4ndb0xP9pt",
        ),
        (
            "Grupo no Facebook",
            "https://www.facebook.com/groups/dicaslocais/",
        ),
    ],
};
