//! The language of a keyword, where it is beyond doubt.

/// The certain language of a keyword, as a BCP 47 tag of the phrase tables; `None` if several are possible.
///
/// The script decides first, then letters that one language has, then words in the list of only one language.
/// International words ("hotel", "pizza", "crm") are in no list.
pub(super) fn language(keyword: &str) -> Option<&'static str> {
    let lower = keyword.to_lowercase();
    if let Some(tag) = by_script(&lower) {
        return Some(tag);
    }
    if !lower.chars().filter(|c| c.is_alphabetic()).all(|c| c < '\u{250}') {
        return None;
    }
    let mut counts = WORDS.map(|(tag, words)| {
        let known = |word: &str| words.split(' ').any(|known| known == word);
        // The words of an address ("example.com") are of no language.
        let words = lower
            .split_whitespace()
            .filter(|word| !word.trim_end_matches('.').contains('.'));
        let hits = words
            .flat_map(|word| word.split(|c: char| !c.is_alphanumeric()))
            .filter(|word| known(word))
            .count();
        (hits + usize::from(lower.contains(letters(tag))), tag)
    });
    counts.sort_unstable_by(|a, b| b.cmp(a));
    match counts {
        [(best, tag), (second, _), ..] if best > second => Some(tag),
        _ => None,
    }
}

fn by_script(text: &str) -> Option<&'static str> {
    let any = |from: char, to: char| text.chars().any(|c| c >= from && c <= to);
    if any('\u{3041}', '\u{30ff}') {
        Some("ja")
    } else if any('\u{ac00}', '\u{d7a3}') {
        Some("ko")
    } else if any('\u{900}', '\u{97f}') {
        Some("hi")
    } else if any('\u{600}', '\u{6ff}') && !text.contains(['پ', 'چ', 'ژ', 'گ', 'ک', 'ی', 'ے', 'ں', 'ٹ'])
    {
        Some("ar")
    } else if any('\u{400}', '\u{4ff}')
        && !text.contains(['і', 'ї', 'є', 'ґ', 'ў', 'ј', 'љ', 'њ', 'ћ', 'ђ', 'ә', 'ө', 'қ'])
    {
        Some("ru")
    } else {
        None
    }
}

/// Letters that, of the languages below, one alone has.
fn letters(tag: &str) -> &'static [char] {
    match tag {
        "es" => &['ñ', '¿', '¡'],
        "de" => &['ß'],
        "pt" => &['ã', 'õ'],
        "pl" => &['ł', 'ż', 'ź', 'ś', 'ń', 'ą', 'ę'],
        "sv" => &['å'],
        "tr" => &['ğ', 'ı', 'ş'],
        "fr" => &['œ', 'ë'],
        _ => &[],
    }
}

/// Words of everyday keywords that belong to only one language.
const WORDS: [(&str, &str); 10] = [
    (
        "en",
        "plumber plumbers dentist dentists lawyer lawyers attorney attorneys hairdresser hairdressers barber bakery \
         bakeries electrician electricians locksmith locksmiths roofer painter cleaner cleaning repair shop shops store \
         stores near for with the and best cheap affordable small business insurance accountant accountants doctor \
         doctors clinic gym car cars rental rentals wedding photographer kitchen flower flowers delivery moving company \
         companies agency agencies software tool tools teams real estate agents vet vets pet food coffee roasters hiring \
         services service solicitor solicitors nursery daycare tutor bookkeeping garden furniture mattress running shoes",
    ),
    (
        "es",
        "fontanero fontaneros dentistas abogado abogados peluquería peluquero panadería electricista electricistas \
         cerrajero cerrajeros pintor limpieza reparación tienda tiendas cerca para con mejor mejores barato baratos \
         seguro seguros gestoría médico médicos clínica gimnasio coche coches alquiler boda fotógrafo cocina flores \
         mudanza mudanzas empresa empresas agencia inmobiliaria inmobiliarias veterinario restaurante restaurantes \
         zapatillas colchones muebles asesoría taller talleres",
    ),
    (
        "de",
        "klempner zahnarzt zahnärzte anwalt anwälte rechtsanwalt friseur friseure bäckerei elektriker schlüsseldienst \
         dachdecker maler reinigung reparatur laden läden für mit und beste besten günstig günstige versicherung \
         steuerberater arzt ärzte klinik fitnessstudio autovermietung mietwagen hochzeit hochzeitsfotograf küche blumen \
         umzug umzugsunternehmen firma firmen agentur agenturen immobilienmakler makler tierarzt notdienst werkstatt \
         handwerker heizung sanitär schuhe matratzen möbel kanzlei",
    ),
    (
        "fr",
        "plombier plombiers dentistes avocat avocats coiffeur coiffeurs boulangerie boulangeries électricien \
         électriciens serrurier serruriers couvreur peintre nettoyage réparation magasin magasins pour avec meilleur \
         meilleurs meilleure pas cher assurance assurances comptable médecin médecins clinique voiture voitures location \
         mariage photographe cuisine fleuriste déménagement déménageur entreprise entreprises agence agences immobilière \
         vétérinaire chaussures matelas meubles",
    ),
    (
        "pt",
        "encanador encanadores canalizador advogado advogados cabeleireiro padaria padarias eletricista eletricistas \
         chaveiro serralheiro limpeza conserto reparação loja lojas perto com melhor melhores seguros contabilidade \
         contador clínicas academia carro carros aluguel aluguer casamento fotógrafo cozinha flores mudanças empresas \
         imobiliária imobiliárias veterinário restaurantes colchões móveis oficina",
    ),
    (
        "it",
        "idraulico idraulici dentisti avvocato avvocati parrucchiere parrucchieri panetteria elettricista elettricisti \
         fabbro imbianchino pulizie riparazione negozio negozi vicino migliore migliori economico assicurazione \
         assicurazioni commercialista medico medici palestra noleggio matrimonio fotografo cucina fiori trasloco \
         traslochi azienda aziende agenzia immobiliare veterinario ristorante ristoranti scarpe materassi mobili officina",
    ),
    (
        "nl",
        "loodgieter loodgieters tandarts tandartsen advocaat advocaten kapper kappers bakkerij elektricien slotenmaker \
         slotenmakers dakdekker schilder schoonmaak schoonmaakbedrijf reparatie winkel winkels voor met beste goedkoop \
         goedkope verzekering verzekeringen boekhouder huisarts artsen sportschool autoverhuur bruiloft fotograaf keuken \
         keukens bloemist verhuizing verhuisbedrijf bedrijf bedrijven bureau makelaar makelaars dierenarts schoenen \
         matrassen meubels",
    ),
    (
        "pl",
        "hydraulik hydraulicy dentysta stomatolog prawnik prawnicy adwokat fryzjer fryzjerzy piekarnia elektryk elektrycy \
         ślusarz dekarz malarz sprzątanie naprawa sklep sklepy blisko dla najlepszy najlepsza tani tanie ubezpieczenie \
         ubezpieczenia księgowa księgowość lekarz lekarze siłownia wynajem samochód ślub fotograf kuchnia kwiaciarnia \
         przeprowadzki firma agencja nieruchomości weterynarz restauracja restauracje buty materace meble warsztat",
    ),
    (
        "sv",
        "rörmokare tandläkare advokat advokater frisör frisörer bageri elektriker låssmed takläggare målare städning \
         städfirma reparation butik butiker nära för med bästa billig billiga försäkring försäkringar revisor läkare \
         vårdcentral biluthyrning bröllop kök blommor flyttfirma flyttfirmor företag byrå mäklare veterinär restaurang \
         restauranger skor madrasser möbler verkstad",
    ),
    (
        "tr",
        "tesisatçı tesisatçılar dişçi dişçiler avukat avukatlar kuaför kuaförler fırın elektrikçi elektrikçiler çilingir \
         çatı boyacı temizlik tamir tamirci mağaza dükkan yakın için ucuz sigorta muhasebeci doktor doktorlar klinik \
         kiralama düğün fotoğrafçı mutfak çiçekçi nakliyat şirket şirketleri ajansı emlakçı veteriner restoran \
         restoranlar ayakkabı yatak mobilya",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_named_only_where_it_is_sure() {
        for (keyword, expected) in [
            ("plumber", Some("en")),
            ("crm for small teams", Some("en")),
            ("fontanero", Some("es")),
            ("klempner notdienst", Some("de")),
            ("plombier pas cher", Some("fr")),
            ("idraulico", Some("it")),
            ("tesisatçı", Some("tr")),
            ("ラーメン", Some("ja")),
            ("сантехник", Some("ru")),
            ("배관공", Some("ko")),
            ("سباك", Some("ar")),
            ("प्लंबर", Some("hi")),
            ("pizza", None),
            ("hotel", None),
            ("crm", None),
            ("spa", None),
            ("拉面", None),
            ("who is example.com?", None),
            ("com desconto", Some("pt")),
            ("сантехнік", None),
        ] {
            assert_eq!(language(keyword), expected, "{keyword}");
        }
    }
}
