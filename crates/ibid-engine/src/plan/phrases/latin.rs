//! Questions in languages with Latin letters.

use super::Phrases;

pub(super) const EN: Phrases = Phrases {
    tag: "en",
    templates: [
        "Can you recommend {a}[ {in}]? Name several and say why.~{k}[ {in}]: which ones would you recommend? Name several and say why.",
        "{k}[ {in}], best first: who makes the list?",
        "{k}[ {in}]: which websites would you use to find a good one?",
        "{k}[ {in}]: name the companies you would consider.",
        "I need {a}[ {in}]. Who should I contact?~I need help with this[ {in}]: {k}. Who should I contact?",
        "{k}[ {in}]: who can be trusted? A few names and why.",
        "{k}[ {in}]: who offers good value for money? Please give names.",
        "[I am {in} and looking for {a} close by. Which places would you suggest?|I am looking for {a}. Which ones would you suggest?]~[I am {in}. ]Which places would you suggest for this search: {k}?",
        "{k}[ {in}]: what are the alternatives? Name the ones you know.",
        "Compare the main options[ {in}] for this search: {k}. Who is good at what?",
    ],
    qualities: [
        "best {k}",
        "recommended {k}",
        "top rated {k}",
        "well reviewed {k}",
        "trusted {k}",
        "affordable {k}",
        "{k} near the centre",
    ],
};

pub(super) const ES: Phrases = Phrases {
    tag: "es",
    templates: [
        "{k}[ {in}]: ¿qué opciones recomiendas? Nombra varias y explica por qué.",
        "{k}[ {in}]: ¿cuáles son las mejores opciones? Empieza por la mejor.",
        "{k}[ {in}]: ¿qué sitios web usarías para elegir bien?",
        "{k}[ {in}]: nombra las empresas que tendrías en cuenta.",
        "Necesito ayuda con esto[ {in}]: {k}. ¿Con quién debería contactar?",
        "{k}[ {in}]: ¿en quién se puede confiar? Algunos nombres y por qué.",
        "{k}[ {in}]: ¿quién ofrece buena relación calidad-precio? Dame nombres.",
        "[Estoy {in} y busco {k} cerca. ¿Qué lugares me sugieres?|Busco {k}. ¿Cuáles me sugieres?]",
        "{k}[ {in}]: ¿qué alternativas hay? Nombra las que conozcas.",
        "Compara las principales opciones[ {in}] para esta búsqueda: {k}. ¿En qué destaca cada una?",
    ],
    qualities: [
        "{k} con recomendaciones",
        "{k} de primera",
        "{k} con muy buenas opiniones",
        "{k} con buenas reseñas",
        "{k} de confianza",
        "{k} a buen precio",
        "{k} cerca del centro",
    ],
};

pub(super) const DE: Phrases = Phrases {
    tag: "de",
    templates: [
        "{k}[ {in}]: Welche Anbieter empfiehlst du? Nenne mehrere und begründe es.",
        "{k}[ {in}]: Was sind die besten Adressen? Beginne mit der besten.",
        "{k}[ {in}]: Welche Websites würdest du für die Auswahl nutzen?",
        "{k}[ {in}]: Nenne die Unternehmen, die du in Betracht ziehen würdest.",
        "Suche {k}[ {in}]. An wen soll ich mich wenden?",
        "{k}[ {in}]: Wem kann man vertrauen? Bitte einige Namen mit Begründung.",
        "{k}[ {in}]: Wer bietet ein gutes Preis-Leistungs-Verhältnis? Bitte Namen nennen.",
        "[Ich bin {in}. Welche Adressen in der Nähe schlägst du für diese Suche vor: {k}?|Welche Anbieter schlägst du für diese Suche vor: {k}?]",
        "{k}[ {in}]: Welche Alternativen gibt es? Nenne alle, die du kennst.",
        "Vergleiche die wichtigsten Anbieter[ {in}] für diese Suche: {k}. Wer ist worin gut?",
    ],
    qualities: [
        "{k} mit Empfehlung",
        "{k} mit Top-Bewertungen",
        "{k} mit sehr guten Rezensionen",
        "{k} mit gutem Ruf",
        "{k} mit gutem Service",
        "{k} zu fairen Preisen",
        "{k} in Zentrumsnähe",
    ],
};

pub(super) const FR: Phrases = Phrases {
    tag: "fr",
    templates: [
        "{k}[ {in}] : que recommandez-vous ? Citez plusieurs noms et expliquez pourquoi.",
        "{k}[ {in}] : quelles sont les meilleures adresses ? Commencez par la meilleure.",
        "{k}[ {in}] : quels sites web utiliseriez-vous pour bien choisir ?",
        "{k}[ {in}] : citez les entreprises que vous envisageriez.",
        "Recherche {k}[ {in}]. Qui contacter ?",
        "{k}[ {in}] : à qui faire confiance ? Quelques noms et pourquoi.",
        "{k}[ {in}] : qui offre un bon rapport qualité-prix ? Donnez des noms.",
        "[Je suis {in}. Quelles adresses proches me suggérez-vous pour cette recherche : {k} ?|Que me suggérez-vous pour cette recherche : {k} ?]",
        "{k}[ {in}] : quelles sont les alternatives ? Citez celles que vous connaissez.",
        "Comparez les principales options[ {in}] pour cette recherche : {k}. Qui est bon en quoi ?",
    ],
    qualities: [
        "{k} avec recommandations",
        "{k} au top",
        "{k} avec de très bons avis",
        "{k} de bonne réputation",
        "{k} de confiance",
        "{k} à prix abordable",
        "{k} près du centre",
    ],
};

pub(super) const PT: Phrases = Phrases {
    tag: "pt",
    templates: [
        "{k}[ {in}]: quais opções você recomenda? Cite várias e explique por quê.",
        "{k}[ {in}]: quais são as melhores opções? Comece pela melhor.",
        "{k}[ {in}]: que sites você usaria para escolher bem?",
        "{k}[ {in}]: cite as empresas que você consideraria.",
        "Preciso de ajuda com isto[ {in}]: {k}. Com quem devo falar?",
        "{k}[ {in}]: em quem dá para confiar? Alguns nomes e por quê.",
        "{k}[ {in}]: quem oferece bom custo-benefício? Dê nomes.",
        "[Estou {in} e procuro {k} por perto. Que lugares você sugere?|Procuro {k}. Quais você sugere?]",
        "{k}[ {in}]: que alternativas existem? Cite as que conhece.",
        "Compare as principais opções[ {in}] para esta busca: {k}. Quem é bom em quê?",
    ],
    qualities: [
        "{k} com recomendação",
        "{k} de primeira",
        "{k} com ótimas avaliações",
        "{k} com boa reputação",
        "{k} de confiança",
        "{k} com preço acessível",
        "{k} perto do centro",
    ],
};

pub(super) const IT: Phrases = Phrases {
    tag: "it",
    templates: [
        "{k}[ {in}]: quali opzioni consigli? Fai diversi nomi e spiega perché.",
        "{k}[ {in}]: quali sono le migliori opzioni? Comincia dalla migliore.",
        "{k}[ {in}]: quali siti web useresti per scegliere bene?",
        "{k}[ {in}]: elenca le aziende che prenderesti in considerazione.",
        "Cerco {k}[ {in}]. A chi dovrei rivolgermi?",
        "{k}[ {in}]: di chi ci si può fidare? Qualche nome e perché.",
        "{k}[ {in}]: chi offre un buon rapporto qualità-prezzo? Fammi dei nomi.",
        "[Sono {in} e cerco {k} nelle vicinanze. Quali posti mi suggerisci?|Cerco {k}. Quali mi suggerisci?]",
        "{k}[ {in}]: quali alternative ci sono? Elenca quelle che conosci.",
        "Confronta le principali opzioni[ {in}] per questa ricerca: {k}. Chi è bravo in cosa?",
    ],
    qualities: [
        "{k} con buone referenze",
        "{k} al top",
        "{k} con ottime recensioni",
        "{k} di buona reputazione",
        "{k} di fiducia",
        "{k} a prezzi accessibili",
        "{k} vicino al centro",
    ],
};

pub(super) const NL: Phrases = Phrases {
    tag: "nl",
    templates: [
        "{k}[ {in}]: welke zou je aanraden? Noem er meerdere en leg uit waarom.",
        "{k}[ {in}]: wat zijn de beste adressen? Begin met het beste.",
        "{k}[ {in}]: welke websites zou je gebruiken om goed te kiezen?",
        "{k}[ {in}]: noem de bedrijven die je zou overwegen.",
        "Gezocht[ {in}]: {k}. Met wie kan ik contact opnemen?",
        "{k}[ {in}]: wie is te vertrouwen? Een paar namen en waarom.",
        "{k}[ {in}]: wie biedt een goede prijs-kwaliteitverhouding? Graag namen.",
        "[Ik ben {in}. Welke adressen in de buurt raad je aan voor deze zoekopdracht: {k}?|Welke raad je aan voor deze zoekopdracht: {k}?]",
        "{k}[ {in}]: welke alternatieven zijn er? Noem degene die je kent.",
        "Vergelijk de belangrijkste opties[ {in}] voor deze zoekopdracht: {k}. Wie is waar goed in?",
    ],
    qualities: [
        "{k} met aanbevelingen",
        "{k} van topkwaliteit",
        "{k} met goede beoordelingen",
        "{k} met een goede naam",
        "{k} met goede service",
        "{k} voor een schappelijke prijs",
        "{k} dicht bij het centrum",
    ],
};

pub(super) const PL: Phrases = Phrases {
    tag: "pl",
    templates: [
        "{k}[ {in}]: co polecasz? Wymień kilka nazw i uzasadnij.",
        "{k}[ {in}]: jakie są najlepsze opcje? Zacznij od najlepszej.",
        "{k}[ {in}]: z jakich stron internetowych warto skorzystać przy wyborze?",
        "{k}[ {in}]: wymień firmy, które wziąłbyś pod uwagę.",
        "Szukam pomocy[ {in}], hasło: {k}. Do kogo się zwrócić?",
        "{k}[ {in}]: komu można zaufać? Kilka nazw i dlaczego.",
        "{k}[ {in}]: kto oferuje dobry stosunek jakości do ceny? Proszę o nazwy.",
        "[Jestem {in}. Jakie miejsca w pobliżu polecasz dla hasła: {k}?|Co polecasz dla hasła: {k}?]",
        "{k}[ {in}]: jakie są alternatywy? Wymień te, które znasz.",
        "Porównaj główne opcje[ {in}] dla hasła: {k}. Kto jest w czym dobry?",
    ],
    qualities: [
        "{k} z polecenia",
        "{k} na najwyższym poziomie",
        "{k} z bardzo dobrymi opiniami",
        "{k} z dobrą opinią",
        "{k} z gwarancją jakości",
        "{k} w przystępnej cenie",
        "{k} blisko centrum",
    ],
};

pub(super) const SV: Phrases = Phrases {
    tag: "sv",
    templates: [
        "{k}[ {in}]: vilka rekommenderar du? Nämn flera och förklara varför.",
        "{k}[ {in}]: vilka är de bästa alternativen? Börja med det bästa.",
        "{k}[ {in}]: vilka webbplatser skulle du använda för att välja rätt?",
        "{k}[ {in}]: nämn de företag som du skulle överväga.",
        "Söker {k}[ {in}]. Vem ska jag kontakta?",
        "{k}[ {in}]: vem kan man lita på? Några namn och varför.",
        "{k}[ {in}]: vem ger mest för pengarna? Ge mig namn.",
        "[Jag är {in} och söker {k} i närheten. Vilka ställen föreslår du?|Jag söker {k}. Vilka föreslår du?]",
        "{k}[ {in}]: vilka alternativ finns det? Nämn dem du känner till.",
        "Jämför de viktigaste alternativen[ {in}] för den här sökningen: {k}. Vem är bra på vad?",
    ],
    qualities: [
        "{k} med rekommendationer",
        "{k} i toppklass",
        "{k} med bra omdömen",
        "{k} med gott rykte",
        "{k} att lita på",
        "{k} till rimligt pris",
        "{k} nära centrum",
    ],
};

pub(super) const TR: Phrases = Phrases {
    tag: "tr",
    templates: [
        "[{in} ]{k}: hangilerini önerirsin? Birkaç isim ver ve nedenini söyle.",
        "[{in} ]{k}: en iyiler kimler? En iyiden başla.",
        "[{in} ]{k}: seçim yapmak için hangi web sitelerini kullanırsın?",
        "[{in} ]{k}: değerlendireceğin firmaları say.",
        "[{in} ]{k} arıyorum. Kiminle iletişime geçmeliyim?",
        "[{in} ]{k}: kime güvenebilirim? Birkaç isim ve nedeni.",
        "[{in} ]{k}: fiyat performans açısından kim iyi? Lütfen isim ver.",
        "[Şu an {m} içindeyim. Yakınımda {k} için nereleri önerirsin?|{k} için kimleri önerirsin?]",
        "[{in} ]{k}: alternatifler neler? Bildiklerini say.",
        "[{in} ]{k} için başlıca seçenekleri karşılaştır. Kim hangi konuda iyi?",
    ],
    qualities: [
        "en iyi {k}",
        "tavsiye edilen {k}",
        "yüksek puanlı {k}",
        "iyi yorum alan {k}",
        "güvenilir {k}",
        "uygun fiyatlı {k}",
        "merkeze yakın {k}",
    ],
};
