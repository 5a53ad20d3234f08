//! What texts are taken for. Expectations were written down by hand, place by place.

#![cfg(test)]

use ibid_gazetteer::{Place, resolve};
use ibid_model::result::{PlaceMatch, RadiusScope};

/// Every text names exactly the town with this label.
fn check_all(texts: &[(&str, &str)]) {
    let wrong: Vec<String> = texts
        .iter()
        .filter_map(|(text, label)| {
            let found = match resolve(text) {
                Ok(found) if found.scope() == RadiusScope::City && found.matched() == PlaceMatch::Exact => {
                    found.place().label()
                }
                other => format!("{other:?}"),
            };
            (found != *label).then(|| format!("{text:?} is {label}, not {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn names_and_countries() {
    check_all(&[
        ("Lisbon, Portugal", "Lisbon, Portugal"),
        ("Valencia, Spain", "Valencia, Spain"),
        ("Valencia, Venezuela", "Valencia, Carabobo, Venezuela"),
        ("Paris, France", "Paris, Île-de-France, France"),
        ("Athens, Greece", "Athens, Attica, Greece"),
        ("Lagos, Nigeria", "Lagos, Nigeria"),
        ("Lagos, Portugal", "Lagos, Faro, Portugal"),
        ("Granada, Nicaragua", "Granada, Granada Department, Nicaragua"),
        ("Mérida, España", "Mérida, Extremadura, Spain"),
        ("Mérida, Venezuela", "Mérida, Venezuela"),
        ("Hyderabad, Pakistan", "Hyderabad, Sindh, Pakistan"),
        ("Santiago, Chile", "Santiago, Santiago Metropolitan, Chile"),
        ("San Juan, Puerto Rico", "San Juan, Puerto Rico"),
        ("Kingston, Jamaica", "Kingston, Jamaica"),
        (
            "Newcastle upon Tyne, UK",
            "Newcastle upon Tyne, England, United Kingdom",
        ),
        ("Seoul, Korea", "Seoul, South Korea"),
        ("Tbilisi, Georgia", "Tbilisi, Georgia"),
        ("Beirut, Lebanon", "Beirut, Lebanon"),
        ("Pristina, Kosovo", "Pristina, Kosovo"),
        ("Pyongyang, DPRK", "Pyongyang, North Korea"),
        ("Hallstatt, Austria", "Hallstatt, Upper Austria, Austria"),
        ("Nuuk, Greenland", "Nuuk, Sermersooq, Greenland"),
        ("San José, Costa Rica", "San José, Costa Rica"),
        ("Alexandria, Egypt", "Alexandria, Egypt"),
        ("Reykjavik, Iceland", "Reykjavík, Capital Region, Iceland"),
        ("Bridgetown, Barbados", "Bridgetown, Saint Michael, Barbados"),
        ("Port Louis, Mauritius", "Port Louis, Mauritius"),
        ("Windhoek, Namibia", "Windhoek, Khomas Region, Namibia"),
        ("Vaduz, Liechtenstein", "Vaduz, Liechtenstein"),
    ]);
}

#[test]
fn regions_and_states() {
    check_all(&[
        ("Paris, TX", "Paris, Texas, United States"),
        ("Cambridge, MA", "Cambridge, Massachusetts, United States"),
        ("Portland, Maine", "Portland, Maine, United States"),
        ("Springfield, IL", "Springfield, Illinois, United States"),
        ("Athens, GA", "Athens, Georgia, United States"),
        ("Rome, Georgia", "Rome, Georgia, United States"),
        ("London, Ontario, Canada", "London, Ontario, Canada"),
        ("Victoria, BC", "Victoria, British Columbia, Canada"),
        ("Sydney, Nova Scotia", "Sydney, Nova Scotia, Canada"),
        ("Newcastle, NSW", "Newcastle, New South Wales, Australia"),
        ("Perth, WA", "Perth, Western Australia, Australia"),
        ("Perth, Scotland", "Perth, Scotland, United Kingdom"),
        ("Halifax, England", "Halifax, England, United Kingdom"),
        ("Cartagena, Murcia", "Cartagena, Murcia, Spain"),
        ("Guadalajara, Jalisco", "Guadalajara, Jalisco, Mexico"),
        ("Guadalajara, Spain", "Guadalajara, Castille-La Mancha, Spain"),
        ("Rosario, Santa Fe", "Rosario, Santa Fe, Argentina"),
        ("Lausanne, Vaud", "Lausanne, Vaud, Switzerland"),
        ("Gent, Vlaanderen", "Gent, Flanders, Belgium"),
        ("Bilbao, Euskadi", "Bilbao, Basque Country, Spain"),
        ("Bordeaux, Gironde", "Bordeaux, New Aquitaine, France"),
        (
            "Cannes, Alpes-Maritimes",
            "Cannes, Provence-Alpes-Côte d'Azur, France",
        ),
        ("Marbella, Málaga", "Marbella, Andalusia, Spain"),
        ("Brighton, East Sussex", "Brighton, England, United Kingdom"),
        ("Durban, KwaZulu-Natal", "Durban, KwaZulu-Natal, South Africa"),
        ("Lahore, Punjab, Pakistan", "Lahore, Punjab, Pakistan"),
        ("Ludhiana, Punjab, India", "Ludhiana, Punjab, India"),
        ("Firenze, Toscana, Italia", "Florence, Tuscany, Italy"),
        ("Ribeirão Preto, SP", "Ribeirão Preto, São Paulo, Brazil"),
        ("São Paulo - SP, Brasil", "São Paulo, Brazil"),
        ("Tijuana BC", "Tijuana, Baja California, Mexico"),
        ("Monterrey, NL, México", "Monterrey, Nuevo León, Mexico"),
        ("Rho (MI)", "Rho, Lombardy, Italy"),
        ("Hong Kong, China", "Hong Kong"),
        ("Bayamón, USA", "Bayamón, Puerto Rico"),
        ("Saint-Denis, France", "Saint-Denis, Île-de-France, France"),
        ("Torino (TO)", "Turin, Piedmont, Italy"),
        (
            "Duesseldorf, NRW, Germany",
            "Düsseldorf, North Rhine-Westphalia, Germany",
        ),
        (
            "Springfield, Greene County, MO",
            "Springfield, Missouri, United States",
        ),
        (
            "Munich, Upper Bavaria, Bavaria, Germany",
            "Munich, Bavaria, Germany",
        ),
    ]);
}

#[test]
fn names_in_other_languages() {
    check_all(&[
        ("Munich", "Munich, Bavaria, Germany"),
        ("München, Deutschland", "Munich, Bavaria, Germany"),
        ("Múnich, Alemania", "Munich, Bavaria, Germany"),
        ("Monaco di Baviera", "Munich, Bavaria, Germany"),
        ("Mailand, Italien", "Milan, Lombardy, Italy"),
        ("Rzym", "Rome, Lazio, Italy"),
        ("Rooma, Italia", "Rome, Lazio, Italy"),
        ("Bécs, Ausztria", "Vienna, Austria"),
        ("Keulen", "Köln, North Rhine-Westphalia, Germany"),
        ("Anvers, Belgique", "Antwerp, Flanders, Belgium"),
        ("Nizza, Frankreich", "Nice, Provence-Alpes-Côte d'Azur, France"),
        ("Varsovia, Polonia", "Warsaw, Mazovia, Poland"),
        ("Danzig", "Gdańsk, Pomerania, Poland"),
        ("Praha", "Prague, Czechia"),
        ("Lissabon, Portugal", "Lisbon, Portugal"),
        ("Kopenhagen, Dänemark", "Copenhagen, Capital Region, Denmark"),
        ("Helsingfors, Finland", "Helsinki, Uusimaa, Finland"),
        ("Salonica, Greece", "Thessaloníki, Central Macedonia, Greece"),
        ("Kaapstad", "Cape Town, Western Cape, South Africa"),
        ("Corcaigh", "Cork, Munster, Ireland"),
        ("Donostia", "Donostia / San Sebastián, Basque Country, Spain"),
        ("Alacant, Spain", "Alicante, Valencia, Spain"),
        (
            "Saigon, Vietnam",
            "Ho Chi Minh City, Ho Chi Minh City (HCMC), Vietnam",
        ),
        ("Bombay, India", "Mumbai, Maharashtra, India"),
        ("Peking, China", "Beijing, China"),
        ("Kiev", "Kyiv, Kyiv City, Ukraine"),
        ("Tokio, Japon", "Tokyo, Japan"),
        ("Den Bosch", "'s-Hertogenbosch, North Brabant, Netherlands"),
        ("Cracow, Poland", "Kraków, Lesser Poland, Poland"),
        ("Londres, Reino Unido", "London, England, United Kingdom"),
        ("Genf", "Geneva, Switzerland"),
        ("Ginevra, Svizzera", "Geneva, Switzerland"),
    ]);
}

#[test]
fn names_in_other_scripts() {
    check_all(&[
        ("東京", "Tokyo, Japan"),
        ("東京都渋谷区", "Shibuya, Tokyo, Japan"),
        ("大阪市, 日本", "Osaka, Japan"),
        ("名古屋市", "Nagoya, Aichi, Japan"),
        ("札幌", "Sapporo, Hokkaido, Japan"),
        ("北京", "Beijing, China"),
        ("北京市朝阳区", "Beijing, China"),
        ("中国北京", "Beijing, China"),
        ("深圳, 中国", "Shenzhen, Guangdong, China"),
        ("台北市", "Taipei, Taiwan"),
        ("香港", "Hong Kong"),
        ("서울", "Seoul, South Korea"),
        ("부산광역시", "Busan, South Korea"),
        ("서울특별시 강남구", "Seoul, South Korea"),
        ("Москва", "Moscow, Russia"),
        ("Санкт-Петербург", "Saint Petersburg, St.-Petersburg, Russia"),
        ("Одесса, Украина", "Odesa, Ukraine"),
        ("Улаанбаатар", "Ulan Bator, Ulaanbaatar, Mongolia"),
        ("Αθήνα, Ελλάδα", "Athens, Attica, Greece"),
        ("Θεσσαλονίκη", "Thessaloníki, Central Macedonia, Greece"),
        ("القاهرة", "Cairo, Egypt"),
        ("دبي", "Dubai, United Arab Emirates"),
        ("جدة، السعودية", "Jeddah, Mecca Region, Saudi Arabia"),
        ("تهران", "Tehran, Iran"),
        ("תל אביב", "Tel Aviv, Israel"),
        ("ירושלים", "Jerusalem, Israel"),
        ("दिल्ली", "Delhi, India"),
        ("मुंबई, भारत", "Mumbai, Maharashtra, India"),
        ("ঢাকা", "Dhaka, Dhaka Division, Bangladesh"),
        ("சென்னை", "Chennai, Tamil Nadu, India"),
        ("กรุงเทพ", "Bangkok, Thailand"),
        ("თბილისი", "Tbilisi, Georgia"),
        ("Երևան", "Yerevan, Armenia"),
        ("ភ្នំពេញ", "Phnom Penh, Cambodia"),
        ("ရန်ကုန်", "Yangon, Myanmar"),
    ]);
}

#[test]
fn abbreviations() {
    check_all(&[
        ("NYC", "New York City, New York, United States"),
        ("nyc", "New York City, New York, United States"),
        ("LA", "Los Angeles, California, United States"),
        ("SF", "San Francisco, California, United States"),
        ("CDMX", "Mexico City, Mexico"),
        ("KL, Malaysia", "Kuala Lumpur, Malaysia"),
        ("HK", "Hong Kong"),
        ("Philly", "Philadelphia, Pennsylvania, United States"),
        ("Joburg", "Johannesburg, Gauteng, South Africa"),
        ("Dubai, UAE", "Dubai, United Arab Emirates"),
        ("Riyadh, KSA", "Riyadh, Riyadh Region, Saudi Arabia"),
        ("London, UK", "London, England, United Kingdom"),
        ("Boston, USA", "Boston, Massachusetts, United States"),
        ("Boston, U.S.A.", "Boston, Massachusetts, United States"),
        ("Auckland, NZ", "Auckland, New Zealand"),
        ("Amsterdam, NL", "Amsterdam, North Holland, Netherlands"),
        (
            "Washington, D.C.",
            "Washington, District of Columbia, United States",
        ),
        ("Washington DC", "Washington, District of Columbia, United States"),
        ("St. Louis, MO", "St. Louis, Missouri, United States"),
        (
            "Ft. Lauderdale, Florida",
            "Fort Lauderdale, Florida, United States",
        ),
        ("St Paul, Minnesota", "Saint Paul, Minnesota, United States"),
        ("Sault Ste. Marie, ON", "Sault Ste. Marie, Ontario, Canada"),
        ("Frankfurt a. M.", "Frankfurt am Main, Hesse, Germany"),
        ("Freiburg i. Br.", "Freiburg, Baden-Wurttemberg, Germany"),
    ]);
}

#[test]
fn postal_style_and_addresses() {
    check_all(&[
        ("28013 Madrid", "Madrid, Spain"),
        ("46001 València (Spain)", "Valencia, Spain"),
        ("London SW1A 1AA", "London, England, United Kingdom"),
        ("F-75116 Paris Cedex 16", "Paris, Île-de-France, France"),
        (
            "1012 AB Amsterdam, The Netherlands",
            "Amsterdam, North Holland, Netherlands",
        ),
        ("SE-111 22 Stockholm", "Stockholm, Sweden"),
        ("Austin, TX 78701, USA", "Austin, Texas, United States"),
        ("Phoenix AZ 85001", "Phoenix, Arizona, United States"),
        ("Melbourne VIC 3000", "Melbourne, Victoria, Australia"),
        ("Ottawa, Ontario K1A 0B1", "Ottawa, Ontario, Canada"),
        ("〒100-0001 東京", "Tokyo, Japan"),
        ("10 Downing Street, London, UK", "London, England, United Kingdom"),
        ("221B Baker Street, London", "London, England, United Kingdom"),
        (
            "12 Rue de Rivoli, 75004 Paris, France",
            "Paris, Île-de-France, France",
        ),
        (
            "Friedrichstraße 43, 10117 Berlin, Germany",
            "Berlin, State of Berlin, Germany",
        ),
        (
            "Carrer de Mallorca 401, 08013 Barcelona, España",
            "Barcelona, Catalonia, Spain",
        ),
        (
            "1600 Pennsylvania Avenue NW, Washington, DC 20500, USA",
            "Washington, District of Columbia, United States",
        ),
        ("Calle Mayor 1, 28013 Madrid Spain", "Madrid, Spain"),
        (
            "Beverly Hills, CA 90210, USA",
            "Beverly Hills, California, United States",
        ),
        (
            "Friedrichshain-Kreuzberg, Berlin",
            "Berlin, State of Berlin, Germany",
        ),
    ]);
}

#[test]
fn other_orders_and_punctuation() {
    check_all(&[
        ("Munich Germany", "Munich, Bavaria, Germany"),
        ("Brooklyn NYC", "Brooklyn, New York, United States"),
        ("Tokyo-to", "Tokyo, Japan"),
        ("Hong Kong SAR", "Hong Kong"),
        ("Austin TX", "Austin, Texas, United States"),
        ("paris tx", "Paris, Texas, United States"),
        ("Germany, Munich", "Munich, Bavaria, Germany"),
        ("Spain Madrid", "Madrid, Spain"),
        ("Valencia/Spain", "Valencia, Spain"),
        ("Valencia (Spain)", "Valencia, Spain"),
        ("  valencia ,  SPAIN ", "Valencia, Spain"),
        ("VALENCIA; ESPAÑA", "Valencia, Spain"),
        ("New York NY", "New York City, New York, United States"),
        ("Frankfurt (Oder)", "Frankfurt (Oder), Brandenburg, Germany"),
        ("Frankfurt/Main", "Frankfurt am Main, Hesse, Germany"),
        (
            "Stratford upon Avon",
            "Stratford-upon-Avon, England, United Kingdom",
        ),
        (
            "L’Hospitalet de Llobregat",
            "L'Hospitalet de Llobregat, Catalonia, Spain",
        ),
        ("'s-Hertogenbosch", "'s-Hertogenbosch, North Brabant, Netherlands"),
        ("Coeur d'Alene, Idaho", "Coeur d'Alene, Idaho, United States"),
        (
            "Aix en Provence",
            "Aix-en-Provence, Provence-Alpes-Côte d'Azur, France",
        ),
        ("Cluj-Napoca", "Cluj-Napoca, Cluj County, Romania"),
        ("Koeln", "Köln, North Rhine-Westphalia, Germany"),
        ("Zuerich", "Zürich, Zurich, Switzerland"),
        ("Tromsoe", "Tromsø, Troms, Norway"),
        ("Malmo", "Malmö, Skåne, Sweden"),
        ("Lodz", "Łódź, Łódź Voivodeship, Poland"),
        ("İSTANBUL", "Istanbul, Turkey"),
        ("6th of October City, Egypt", "6th of October City, Giza, Egypt"),
    ]);
}

#[test]
fn prominence() {
    check_all(&[
        ("Valencia", "Valencia, Spain"),
        ("Paris", "Paris, Île-de-France, France"),
        ("London", "London, England, United Kingdom"),
        ("Victoria", "Victoria, British Columbia, Canada"),
        ("Granada", "Granada, Andalusia, Spain"),
        ("Boston", "Boston, Massachusetts, United States"),
        ("Birmingham", "Birmingham, England, United Kingdom"),
        ("Cambridge", "Cambridge, England, United Kingdom"),
        ("San Francisco", "San Francisco, California, United States"),
        ("Santiago de Compostela", "Santiago de Compostela, Galicia, Spain"),
        ("Moscow", "Moscow, Russia"),
        ("Geneva", "Geneva, Switzerland"),
        ("Odessa", "Odesa, Ukraine"),
        ("Cancun", "Cancún, Quintana Roo, Mexico"),
        ("Córdoba", "Córdoba, Cordoba, Argentina"),
        ("Genova", "Genoa, Liguria, Italy"),
        ("Kansas City", "Kansas City, Missouri, United States"),
        ("Frankfurt", "Frankfurt am Main, Hesse, Germany"),
        ("Hamburg", "Hamburg, Germany"),
        ("Alexandria", "Alexandria, Egypt"),
        ("Athens", "Athens, Attica, Greece"),
        ("Singapore", "Singapore"),
        ("Monaco", "Monaco, Municipality of Monaco"),
        ("Hong Kong", "Hong Kong"),
        ("Gibraltar", "Gibraltar"),
        ("Washington", "Washington, District of Columbia, United States"),
        ("New York", "New York City, New York, United States"),
        ("Salvador", "Salvador, Bahia, Brazil"),
        ("Mexico City", "Mexico City, Mexico"),
        ("Bali", "Denpasar, Bali, Indonesia"),
    ]);
}

#[test]
fn sections() {
    check_all(&[
        ("Brooklyn", "Brooklyn, New York, United States"),
        ("Queens, NY", "Queens, New York, United States"),
        ("Gràcia, Barcelona, Spain", "Gràcia, Catalonia, Spain"),
        ("Soho, London", "Soho, England, United Kingdom"),
        ("Kreuzberg", "Kreuzberg, State of Berlin, Germany"),
        ("Shinjuku, Tokyo, Japan", "Shinjuku, Tokyo, Japan"),
        ("新宿区", "Shinjuku, Tokyo, Japan"),
        ("Hollywood, CA", "Hollywood, California, United States"),
        (
            "Brooklyn, Kings County, New York, USA",
            "Brooklyn, New York, United States",
        ),
    ]);
}

/// A text names a country or a region, which stands for its most populous town.
fn check_area(text: &str, scope: RadiusScope, label: &str, spelling: &str) {
    let found = resolve(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    assert_eq!(
        (found.scope(), found.place().label().as_str()),
        (scope, label),
        "{text}"
    );
    assert_eq!(found.spelling(), spelling, "{text}");
}

#[test]
fn countries() {
    for (text, label) in [
        ("Spain", "Spain"),
        ("ESPAÑA", "Spain"),
        ("Espagne", "Spain"),
        ("Allemagne", "Germany"),
        ("USA", "United States"),
        ("U.K.", "United Kingdom"),
        ("UAE", "United Arab Emirates"),
        ("Holland", "Netherlands"),
        ("the netherlands", "Netherlands"),
        ("Türkiye", "Turkey"),
        ("日本", "Japan"),
        ("Россия", "Russia"),
        ("Georgia", "Georgia"),
        ("Luxembourg", "Luxembourg"),
        ("Ivory Coast", "Ivory Coast"),
        ("Côte d’Ivoire", "Ivory Coast"),
        ("El Salvador", "El Salvador"),
        ("DE", "Germany"),
    ] {
        let found = resolve(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        assert_eq!(
            (found.scope(), found.matched()),
            (RadiusScope::Country, PlaceMatch::Country),
            "{text}"
        );
        assert_eq!(
            (found.place().name(), found.place().admin()),
            (label, None),
            "{text}"
        );
    }
}

#[test]
fn regions() {
    let region = |text, label, spelling| check_area(text, RadiusScope::Region, label, spelling);
    region("Bavaria", "Munich, Bavaria, Germany", "Bavaria");
    region("Bayern, Deutschland", "Munich, Bavaria, Germany", "Bayern");
    region(
        "california, usa",
        "Los Angeles, California, United States",
        "California",
    );
    region("CA", "Los Angeles, California, United States", "CA");
    region("Georgia, USA", "Atlanta, Georgia, United States", "Georgia");
    region("Catalunya", "Barcelona, Catalonia, Spain", "Catalunya");
    region("Toscana", "Florence, Tuscany, Italy", "Toscana");
    region(
        "Nordrhein-Westfalen",
        "Köln, North Rhine-Westphalia, Germany",
        "Nordrhein-Westfalen",
    );
    region(
        "Victoria, Australia",
        "Melbourne, Victoria, Australia",
        "Victoria",
    );
    region("Ontario", "Toronto, Ontario, Canada", "Ontario");
    region(
        "Santa Catarina",
        "Florianópolis, Santa Catarina, Brazil",
        "Santa Catarina",
    );
    region("NSW, Australia", "Sydney, New South Wales, Australia", "NSW");
    region("広東省", "Shenzhen, Guangdong, China", "広東省");
    region(
        "Washington State",
        "Seattle, Washington, United States",
        "Washington State",
    );
    region("Osaka Prefecture", "Osaka, Japan", "Osaka Prefecture");
    region(
        "Province of Quebec, Canada",
        "Montréal, Quebec, Canada",
        "Province of Quebec",
    );
    region(
        "Georgia State",
        "Atlanta, Georgia, United States",
        "Georgia State",
    );
    region("Hokkaido", "Sapporo, Hokkaido, Japan", "Hokkaido");
    region("Scotland", "Glasgow, Scotland, United Kingdom", "Scotland");
}

#[test]
fn a_region_gives_way_to_the_town_it_is_named_after() {
    check_all(&[
        ("New York, USA", "New York City, New York, United States"),
        ("Quebec, Canada", "Québec, Quebec, Canada"),
        ("Madrid, Spain", "Madrid, Spain"),
        ("Ontario, California", "Ontario, California, United States"),
        ("Luxembourg, Luxembourg", "Luxembourg"),
        ("Santander", "Santander, Cantabria, Spain"),
    ]);
}

#[test]
fn typing_errors_are_corrected_where_nothing_else_can_be_meant() {
    for (text, label) in [
        ("Barcelnoa, Spain", "Barcelona, Catalonia, Spain"),
        ("Barclona", "Barcelona, Catalonia, Spain"),
        ("Barclona Spain", "Barcelona, Catalonia, Spain"),
        ("Barcelona, Spian", "Barcelona, Catalonia, Spain"),
        ("Munihc, Germany", "Munich, Bavaria, Germany"),
        ("Springfeild, Ilinois", "Springfield, Illinois, United States"),
        ("Cincinatti, OH", "Cincinnati, Ohio, United States"),
        ("Melborne, Australia", "Melbourne, Victoria, Australia"),
        (
            "Newcastel upon Tyne, UK",
            "Newcastle upon Tyne, England, United Kingdom",
        ),
        ("Albequerque", "Albuquerque, New Mexico, United States"),
        ("Москав", "Moscow, Russia"),
    ] {
        let found = resolve(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        assert_eq!(found.place().label(), label, "{text}");
        assert_eq!(
            (found.matched(), found.spelling()),
            (PlaceMatch::Corrected, found.place().name()),
            "{text}"
        );
    }
    let country = resolve("Untied Kingdom").unwrap();
    assert_eq!(
        (country.place().name(), country.spelling()),
        ("United Kingdom", "United Kingdom")
    );
    let region = resolve("Massachusets").unwrap();
    assert_eq!(
        (region.scope(), region.spelling()),
        (RadiusScope::Region, "Massachusetts")
    );
}

/// Nothing is found; the first suggestion, if one is expected, is this.
fn check_unknown(text: &str, suggestion: Option<&str>) {
    let error = match resolve(text) {
        Ok(found) => panic!("{text:?} was taken for {}", found.place().label()),
        Err(error) => error,
    };
    assert!(error.suggestions.len() <= 5, "{text}: {error:?}");
    if let Some(suggestion) = suggestion {
        assert_eq!(
            error.suggestions.first().map(String::as_str),
            Some(suggestion),
            "{text}"
        );
    }
    for suggestion in &error.suggestions {
        let again = resolve(suggestion).unwrap_or_else(|_| panic!("{suggestion} does not resolve"));
        assert_eq!(&again.place().label(), suggestion);
    }
}

#[test]
fn what_is_not_known_is_not_guessed() {
    for text in [
        "",
        "   ",
        ",,,",
        "12345 67890",
        "near me",
        "worldwide",
        "Scandinavia",
        "Antarctica",
        "asdfqwer",
        "\u{0}",
        "🍕",
    ] {
        check_unknown(text, None);
    }
    // A town that is not in that country or state; a country that is none.
    check_unknown(
        "Springfield, Atlantis",
        Some("Springfield, Illinois, United States"),
    );
    check_unknown("Valencia, Germany", Some("Valencia, Spain"));
    check_unknown("Madrid, France", Some("Madrid, Spain"));
    check_unknown("Seattle, Texas, USA", Some("Seattle, Washington, United States"));
    // Too short to correct, or too unlike anything.
    check_unknown("Toyko", Some("Tokyo, Japan"));
    check_unknown(
        "L'Hospitalet",
        Some("L'Hospitalet de Llobregat, Catalonia, Spain"),
    );
    check_unknown(&"x".repeat(10_000), None);
}

#[test]
fn ambiguity_is_reported() {
    let valencia = resolve("Valencia").unwrap();
    assert!(valencia.ambiguous());
    let alternatives: Vec<String> = valencia.alternatives().iter().map(Place::label).collect();
    assert_eq!(
        alternatives.first().map(String::as_str),
        Some("Valencia, Carabobo, Venezuela")
    );
    assert!(alternatives.len() <= 4);

    // Others exist, but nobody means them.
    let paris = resolve("Paris").unwrap();
    assert!(!paris.ambiguous() && !paris.alternatives().is_empty());
    // The country settles it.
    let spain = resolve("Valencia, Spain").unwrap();
    assert!(!spain.ambiguous() && spain.alternatives().is_empty());

    let georgia = resolve("Georgia").unwrap();
    assert!(georgia.ambiguous());
    assert_eq!(
        georgia
            .alternatives()
            .first()
            .map(|place| place.label())
            .as_deref(),
        Some("Atlanta, Georgia, United States")
    );
    assert!(resolve("Springfield").unwrap().ambiguous());
    assert!(
        resolve("CA")
            .unwrap()
            .alternatives()
            .iter()
            .any(|place| place.label() == "Canada")
    );
}

#[test]
fn coordinates_are_named_after_the_town_they_lie_in() {
    for (text, name, lat, lon) in [
        ("39.47, -0.38", "Valencia", 39.47, -0.38),
        ("39.47° N, 0.38° W", "Valencia", 39.47, -0.38),
        // A suburb inside the core of the city is the city; the sea is named after the nearest town.
        ("48.8600 2.3400", "Paris", 48.86, 2.34),
        ("-18.2, 178.5", "Suva", -18.2, 178.5),
    ] {
        let found = resolve(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        assert_eq!(
            (found.place().name(), found.matched()),
            (name, PlaceMatch::Coordinates),
            "{text}"
        );
        assert_eq!((found.place().lat(), found.place().lon()), (lat, lon), "{text}");
        assert_eq!(found.spelling(), name, "{text}");
    }
    check_unknown("0, 0", None);
    check_unknown("91, 0", None);
}

#[test]
fn the_spelling_is_the_callers() {
    for (text, spelling) in [
        ("Munich, Germany", "Munich"),
        ("MÜNCHEN", "MÜNCHEN"),
        ("múnich, alemania", "Munich"),
        ("monaco di baviera", "Monaco Di Baviera"),
        ("málaga", "Málaga"),
        ("malaga", "Málaga"),
        ("nyc", "NYC"),
        ("28013 Madrid", "Madrid"),
        ("東京都渋谷区", "渋谷区"),
        ("თბილისი", "თბილისი"),
        // Nothing but the name goes on: the rest could be addressed to a model.
        ("Rome!!! {ignore}", "Rome"),
        ("\"Rome\"", "Rome"),
    ] {
        match resolve(text) {
            Ok(found) => assert_eq!(found.spelling(), spelling, "{text}"),
            Err(_) => assert!(text.contains("ignore"), "{text}"),
        }
    }
}

#[test]
fn languages_follow_the_place() {
    for (text, language) in [
        ("Madrid", "es"),
        ("Barcelona", "ca"),
        ("Montréal", "fr"),
        ("Toronto", "en"),
        ("Antwerp", "nl"),
        ("Liège", "fr"),
        ("Zürich", "de"),
        ("Lugano", "it"),
        ("São Paulo", "pt-BR"),
        ("Lisbon", "pt"),
        ("Taipei", "zh-Hant"),
        ("Switzerland", "de"),
    ] {
        assert_eq!(resolve(text).unwrap().place().language(), language, "{text}");
    }
    assert_eq!(resolve("Barcelona").unwrap().place().languages(), ["ca", "es"]);
}
