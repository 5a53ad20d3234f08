//! Portuguese.

use super::Phrases;

pub(super) const PT: Phrases = Phrases {
    tag: "pt",
    placed: [
        "Que opções de {k} recomenda em {m}? Indique várias e diga porquê.",
        "Quais são as melhores opções de {k} em {m}? Comece pela melhor.",
        "Que sites usaria para {k} em {m}?",
        "Indique as empresas que consideraria para {k} em {m}.",
        "Preciso de {k} em {m}. Quem devo contactar?",
        "Quem oferece {k} em {m} e é de confiança? Indique alguns nomes e explique.",
        "Quem oferece {k} com boa relação qualidade-preço em {m}? Dê nomes, por favor.",
        "Estou em {m} e procuro {k} por perto. Que lugares sugere?",
        "Que alternativas existem se eu quiser {k} em {m}? Indique as que conhece.",
        "Compare os principais fornecedores de {k} em {m}. Quem é bom em quê?",
    ],
    placeless: [
        "Que opções de {k} recomenda? Indique várias e diga porquê.",
        "Quais são as melhores opções de {k}? Comece pela melhor.",
        "Que sites usaria para {k}?",
        "Indique as empresas que consideraria para {k}.",
        "Preciso de {k}. Quem devo contactar?",
        "Quem oferece {k} e é de confiança? Indique alguns nomes e explique.",
        "Quem oferece {k} com boa relação qualidade-preço? Dê nomes, por favor.",
        "Procuro {k}. Quais sugere?",
        "Que alternativas existem se eu quiser {k}? Indique as que conhece.",
        "Compare os principais fornecedores de {k}. Quem é bom em quê?",
    ],
    qualities: [
        "{k} a bom preço",
        "{k} com ótimas avaliações",
        "{k} de confiança",
        "{k} com experiência",
        "{k} de gestão familiar",
        "{k} de alto padrão",
        "{k} com boas recomendações",
        "{k} com longa tradição",
        "{k} de fácil acesso",
    ],
    segments: [
        "{k} para famílias",
        "{k} para pequenas empresas",
        "{k} para principiantes",
        "{k} para profissionais",
        "{k} para estudantes",
        "{k} em cima da hora",
    ],
};
