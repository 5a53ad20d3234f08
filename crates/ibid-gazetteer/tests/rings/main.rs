//! Which towns the rings hold. Looked over by hand, ring by ring, against a map.

#![cfg(test)]

mod world;

use ibid_gazetteer::{MARKETS_PER_RING, RingMarkets, markets, resolve};
use ibid_model::result::RadiusScope;
use ibid_model::{Ring, Rings};

fn all_rings() -> Rings {
    Rings::from(Ring::all().collect::<Vec<_>>())
}

fn around(text: &str) -> Vec<RingMarkets> {
    markets(
        &resolve(text).unwrap_or_else(|error| panic!("{text}: {error:?}")),
        &all_rings(),
    )
}

/// The markets of rings 1 to 5, in order; a plus stands before one across a border.
fn check(text: &str, expected: &[&str; 5]) {
    let names: Vec<String> = around(text)
        .iter()
        .map(|ring| {
            let names = ring.markets.iter().map(|market| {
                format!(
                    "{}{}",
                    if market.cross_border { "+" } else { "" },
                    market.place.name()
                )
            });
            names.collect::<Vec<_>>().join(", ")
        })
        .collect();
    assert_eq!(names, expected, "{text}");
}

#[test]
fn large_cities() {
    check(
        "Valencia, Spain",
        &[
            "Valencia, Torrent, Grao de Murviedro",
            "Alzira, Llíria, Sueca",
            "Castelló de la Plana, Gandia, Requena",
            "Zaragoza, Murcia, Albacete",
            "Madrid, Barcelona, Almería",
        ],
    );
    check(
        "Madrid",
        &[
            "Madrid, Móstoles, Torrejón de Ardoz",
            "Alcalá de Henares, Valdemoro, Collado-Villalba",
            "Guadalajara, Toledo, Ávila",
            "Valladolid, Albacete, Salamanca",
            "Valencia, Sevilla, Bilbao",
        ],
    );
    check(
        "Berlin",
        &[
            "Berlin, Falkensee, Bernau bei Berlin",
            "Potsdam, Eberswalde, Fürstenwalde",
            "Brandenburg an der Havel, Frankfurt (Oder), Neustrelitz",
            "Dresden, Hannover, Leipzig",
            "Hamburg, Nuremberg, Köln",
        ],
    );
    check(
        "London",
        &[
            "London, Bexley, Sutton",
            "Luton, Basildon, Crawley",
            "Reading, Southend-on-Sea, Brighton",
            "Birmingham, Southampton, Ipswich",
            "Manchester, Plymouth, Swansea",
        ],
    );
    check(
        "Tokyo",
        &[
            "Tokyo, Kawasaki, Saitama",
            "Yokohama, Chiba, Hachiōji",
            "Utsunomiya, Hiratsuka, Mobara",
            "Hamamatsu, Iwaki, Jōetsu",
            "Osaka, Sendai, Kanazawa",
        ],
    );
    check(
        "São Paulo",
        &[
            "São Paulo, Guarulhos, São Bernardo do Campo",
            "Jundiaí, Itaquaquecetuba, Cotia",
            "Campinas, São José dos Campos, Santos",
            "Piracicaba, Taubaté, Poços de Caldas",
            "Rio de Janeiro, Curitiba, Ribeirão Preto",
        ],
    );
    check(
        "New York",
        &[
            "New York City, Brooklyn, Manhattan",
            "Yonkers, Edison, Hempstead",
            "Bridgeport, Trenton, Middletown",
            "Philadelphia, Providence, Allentown",
            "Washington, Boston, Rochester",
        ],
    );
    check(
        "Sydney",
        &[
            "Sydney, Parramatta, Hornsby",
            "Liverpool, Newport, Campbelltown",
            "Wollongong, Katoomba, Bowral",
            "Newcastle, Canberra, Orange",
            "Coffs Harbour, Dubbo, Wodonga",
        ],
    );
}

#[test]
fn borders() {
    check(
        "El Paso, TX",
        &[
            "El Paso, Socorro, Sunland Park",
            "Horizon City, Chaparral, Anthony",
            "Las Cruces, Fort Hancock, Radium Springs",
            "Alamogordo, Carlsbad, Deming",
            "Albuquerque, Tucson, Midland",
        ],
    );
    check(
        "Strasbourg",
        &[
            "Strasbourg, Illkirch-Graffenstaden, Bischwiller",
            "Haguenau, Sélestat, Saverne",
            "Mulhouse, Sarreguemines, Saint-Dié-des-Vosges",
            "Dijon, Metz, Besançon",
            "Paris, Grenoble, Lille",
        ],
    );
    check(
        "Singapore",
        &[
            "Singapore, +Batam, +Johor Bahru",
            "+Ulu Tiram, +Pekan Nenas, +Taman Senai",
            "+Tanjung Pinang, +Kota Tinggi, +Tanjung Balai",
            "+Malacca, +Kluang, +Kuala Tungkal",
            "+Palembang, +Kuala Lumpur, +Pekanbaru",
        ],
    );
    check(
        "Luxembourg, Luxembourg",
        &[
            "Luxembourg, Esch-sur-Alzette, Dudelange",
            "Diekirch, Echternach, Wiltz",
            "Troisvierges, +Saarbrücken, +Verdun",
            "+Köln, +Stuttgart, +Lille",
            "+London, +Munich, +Bremen",
        ],
    );
    check(
        "Hong Kong",
        &[
            "Hong Kong, Tuen Mun, Ma On Shan",
            "+Shenzhen, Tin Shui Wai, +Xixiang",
            "+Dongguan, +Macau, +Huizhou",
            "+Guangzhou, +Puning, +Yangjiang",
            "+Xiamen, +Haikou, +Hezhou",
        ],
    );
}

#[test]
fn islands_and_empty_land() {
    check(
        "Suva",
        &["Suva, Nasinu", "", "Sigatoka, Levuka", "Lautoka, Labasa", ""],
    );
    check(
        "Tromsø",
        &[
            "Tromsø",
            "Storsteinnes",
            "Finnsnes, Skjervøy, Setermoen",
            "Harstad, Alta, Narvik",
            "Bodø, Mo i Rana, Vadsø",
        ],
    );
    check(
        "Honolulu",
        &[
            "Honolulu, East Honolulu, Pearl City",
            "Wahiawā, Waianae, Lā‘ie",
            "Kaunakakai",
            "Kahului, Kapa‘a, Kapaau",
            "Hilo, Hawaiian Ocean View",
        ],
    );
    check(
        "Las Palmas",
        &[
            "Las Palmas de Gran Canaria, Telde, Arucas",
            "San Bartolomé de Tirajana, Maspalomas, Mogán",
            "Santa Cruz de Tenerife",
            "Arona, Arrecife, Puerto del Rosario",
            "Los Llanos de Aridane, Frontera, +Dakhla",
        ],
    );
    check(
        "Ushuaia",
        &[
            "Ushuaia",
            "+Puerto Williams",
            "Tolhuin",
            "Río Grande, +Punta Arenas",
            "Río Gallegos, Yacimientos Río Turbio",
        ],
    );
    check("Longyearbyen", &["Longyearbyen", "", "", "", ""]);
    check(
        "Auckland",
        &[
            "Auckland, Manukau City, New Lynn",
            "Papakura, Pukekohe East, Orewa",
            "Ngaruawahia, Warkworth, Whitianga",
            "Tauranga, Whangarei, Rotorua",
            "Wellington, Gisborne, Palmerston North",
        ],
    );
}

#[test]
fn anchors_of_every_kind() {
    check(
        "Brooklyn",
        &[
            "Brooklyn, Queens, Manhattan",
            "Yonkers, Edison, Freeport",
            "Bridgeport, Trenton, Middletown",
            "Philadelphia, Providence, Allentown",
            "Washington, Boston, Rochester",
        ],
    );
    check(
        "Apia, Samoa",
        &[
            "Apia, Siusega, Solosolo",
            "Mulifanua, Matavai",
            "Safotu, Gataivai",
            "Asau, +Pago Pago",
            "+Mata-Utu",
        ],
    );
    check(
        "Reykjavik",
        &[
            "Reykjavík, Hafnarfjörður, Mosfellsbær",
            "Reykjanesbær, Selfoss, Borgarnes",
            "Hvolsvöllur",
            "Akureyri, Vestmannaeyjar, Ólafsvík",
            "Norðurþing, Höfn, Egilsstaðir",
        ],
    );
    check(
        "Whitehorse, Yukon",
        &[
            "Whitehorse",
            "",
            "",
            "+Haines",
            "Watson Lake, Dawson City, +Juneau",
        ],
    );
    check(
        "39.0, -1.5",
        &[
            "Higueruela, Chinchilla de Monte Aragón, Alcalá del Júcar",
            "Albacete, Almansa, Tobarra",
            "Alcoy, Villarrobledo, Requena",
            "Madrid, Valencia, Murcia",
            "Barcelona, Sevilla, Valladolid",
        ],
    );
    check(
        "Bavaria",
        &[
            "Munich, Germering, Unterschleißheim",
            "Freising, Weilheim, Kolbermoor",
            "Augsburg, Landshut, Garmisch-Partenkirchen",
            "Stuttgart, Regensburg, Nuremberg",
            "Köln, Dresden, Freiburg",
        ],
    );
    check(
        "Kumamoto",
        &[
            "Kumamoto, Tamana, Kōshi",
            "Ōmuta, Honmachi, Aso",
            "Fukuoka, Ōita, Nagasaki",
            "Hiroshima, Kagoshima, Miyazaki",
            "Osaka, Okayama, Kochi",
        ],
    );
}

#[test]
fn a_country_has_tiers() {
    check(
        "Spain",
        &[
            "Madrid, Barcelona, Valencia",
            "Zaragoza, Sevilla, Málaga",
            "Murcia, Palma, Las Palmas de Gran Canaria",
            "Bilbao, Córdoba, Valladolid",
            "Vigo, Gijón, A Coruña",
        ],
    );
    let spain = around("Spain");
    assert!(
        spain
            .iter()
            .flat_map(|ring| &ring.markets)
            .all(|market| market.place.country_code() == "ES")
    );
    let iceland = around("Iceland");
    assert_eq!(iceland[0].markets[0].place.name(), "Reykjavík");
    assert!(iceland.iter().all(|tier| tier.markets.len() == MARKETS_PER_RING));
    // A country of one town.
    assert_eq!(
        around("Pitcairn Islands")
            .iter()
            .map(|tier| tier.markets.len())
            .sum::<usize>(),
        1
    );
}

#[test]
fn a_ring_does_not_depend_on_the_others() {
    for text in ["Valencia, Spain", "Suva", "Spain", "Bavaria", "39.47, -0.38"] {
        let place = resolve(text).unwrap();
        let all = markets(&place, &all_rings());
        for ring in Ring::all() {
            let alone = markets(&place, &Rings::from(vec![ring]));
            assert_eq!(
                alone.as_slice(),
                &all[usize::from(ring.get()) - 1..usize::from(ring.get())],
                "{text}"
            );
        }
        assert!(markets(&place, &Rings::NONE).is_empty());
    }
}

#[test]
fn passed_over_neighbours_are_counted() {
    let strasbourg = around("Strasbourg");
    assert!(
        strasbourg
            .iter()
            .flat_map(|ring| &ring.markets)
            .all(|market| !market.cross_border)
    );
    assert!(
        strasbourg[0].excluded_cross_border > 0,
        "Kehl lies across the river"
    );
    assert_eq!(around("Madrid")[0].excluded_cross_border, 0);
}

#[test]
fn distances_and_bearings_are_those_of_the_anchor() {
    let valencia = around("Valencia, Spain");
    let anchor = valencia[0].markets[0];
    assert_eq!((anchor.distance_km, anchor.bearing_deg), (0.0, 0.0));
    let torrent = valencia[0].markets[1];
    assert!((torrent.distance_km - 8.4).abs() < 0.1 && (torrent.bearing_deg - 241.0).abs() < 1.0);
    // Coordinates are the centre themselves; the town they are named after lies beside it.
    let point = resolve("39.0, -1.5").unwrap();
    assert_eq!(point.scope(), RadiusScope::City);
    assert!(markets(&point, &all_rings())[0].markets[0].distance_km > 1.0);
}
