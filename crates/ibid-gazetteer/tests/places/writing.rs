//! The ways to write the name of a town: languages, scripts, abbreviations, addresses.

use crate::check_all;

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
