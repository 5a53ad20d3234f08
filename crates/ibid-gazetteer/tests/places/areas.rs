//! Countries, regions and parts of a town, beside the name of a town or in its place.

use crate::check_all;
use ibid_gazetteer::resolve;
use ibid_model::result::{PlaceMatch, RadiusScope};

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
