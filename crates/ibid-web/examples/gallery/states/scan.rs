//! Invented scans: a rich one, one with failures, one free question, and one in which every text is an attack.

use super::Outcome;
use ibid_model::ScanResult;
use serde_json::{Value, json};

const QUESTIONS: [(&str, &str); 10] = [
    (
        "list",
        "Which plumbers in Valencia would you recommend? Name several and say why.",
    ),
    (
        "providers",
        "Name the companies you would consider for an urgent plumbing repair in Valencia.",
    ),
    ("best", "Who are the best plumbers in Valencia, best first?"),
    (
        "need",
        "I need a plumber in Valencia tonight. Who should I contact?",
    ),
    ("trust", "Which plumbers in Valencia are known for honest quotes?"),
    (
        "price",
        "Which plumbing companies in Valencia are good value for money?",
    ),
    ("near", "Which plumbers near the centre of Valencia come quickly?"),
    (
        "website",
        "Which websites would you use to find a plumber in Valencia?",
    ),
    (
        "segment",
        "Which plumbers in Valencia work for small restaurants?",
    ),
    (
        "alternatives",
        "Which companies repair leaks and drains in Valencia besides the large chains?",
    ),
];

const MODELS: [(&str, &str, &str); 5] = [
    (
        "model-1-latest",
        "OpenAI GPT (latest flagship)",
        "openai/gpt-6-sol",
    ),
    (
        "model-2-latest",
        "Anthropic Claude Opus (latest)",
        "anthropic/claude-opus-5.5",
    ),
    (
        "model-3-latest",
        "Google Gemini Pro (latest)",
        "google/gemini-3.1-pro-preview",
    ),
    (
        "model-4-latest",
        "Perplexity Sonar Pro (latest)",
        "perplexity/sonar-pro",
    ),
    ("model-6-latest", "DeepSeek (latest)", "deepseek/deepseek-v4-pro"),
];

/// A small generator: the same numbers in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// The citation of the target in an answer: class, rank, points.
#[derive(Clone, Copy)]
struct Cite {
    class: &'static str,
    rank: Option<u32>,
    parts: [f64; 4],
}

impl Cite {
    fn roll(dice: &mut Dice, luck: u64) -> Self {
        let link = [0.0, 5.0, 10.0, 10.0][dice.roll(4) as usize];
        let share = dice.roll(40) as f64 / 10.0 + 0.6;
        let at = |rank: u32| ((15.0 / f64::from(rank + 1).log2()) * 10.0).round() / 10.0;
        match (dice.roll(100) + luck).min(140) {
            0..45 => Self {
                class: "none",
                rank: None,
                parts: [0.0; 4],
            },
            45..60 => Self {
                class: "mentioned",
                rank: None,
                parts: [15.0, 0.0, link, share],
            },
            60..105 => {
                let rank = 2 + dice.roll(4) as u32;
                Self {
                    class: "secondary",
                    rank: Some(rank),
                    parts: [40.0, at(rank), link, share],
                }
            }
            _ => Self {
                class: "primary",
                rank: Some(1),
                parts: [70.0, 15.0, link, share],
            },
        }
    }

    fn score(&self) -> f64 {
        (self.parts.iter().sum::<f64>() * 10.0).round() / 10.0
    }

    fn breakdown(&self) -> Value {
        json!({"base": self.parts[0], "rank": self.parts[1], "link": self.parts[2], "share": self.parts[3], "cap": null})
    }
}

fn interval(mid: f64, half: f64, low_precision: bool) -> Value {
    json!({"low": ((mid - half).max(0.0) * 10.0).round() / 10.0, "high": ((mid + half).min(100.0) * 10.0).round() / 10.0, "level": 0.95, "lowPrecision": low_precision})
}

fn rate_interval(rate: f64, half: f64) -> Value {
    json!({"low": (rate - half).max(0.0), "high": (rate + half).min(1.0), "level": 0.95, "lowPrecision": false})
}

const LUCK: [u64; 5] = [22, 40, 8, 34, 0];

fn models(seed: u64, shift: i64, questions: usize) -> Vec<Value> {
    MODELS
        .iter()
        .enumerate()
        .map(|(m, (alias, label, resolved))| {
            let cites: Vec<Cite> = (0..questions).map(|q| cite(seed, m, q, shift)).collect();
            let count = cites.len() as f64;
            let cited = cites.iter().filter(|cite| cite.class != "none").count() as f64 / count;
            let linked = cites.iter().filter(|cite| cite.parts[2] > 0.0).count() as f64 / count;
            let score = cites.iter().map(Cite::score).sum::<f64>() / count;
            let answers: Vec<Value> = cites
                .iter()
                .enumerate()
                .map(|(q, cite)| {
                    json!({"questionId": format!("c{}", q + 1), "class": cite.class, "score": cite.score(), "breakdown": cite.breakdown(),
                           "rank": cite.rank, "quote": (cite.class != "none").then_some("Aigua Clara – quick with leaks, clear quotes"), "url": null})
                })
                .collect();
            let mut ranks: Vec<_> = cites.iter().filter_map(|cite| cite.rank).collect();
            ranks.sort_unstable();
            let prominence = ["mentioned", "secondary", "primary"]
                .into_iter()
                .map(|class| (cites.iter().filter(|cite| cite.class == class).count(), class))
                .max_by_key(|(count, _)| *count)
                .map_or("none", |(_, class)| class);
            json!({"model": alias, "modelLabel": label, "cited": cited > 0.0, "score": score, "prominence": prominence,
                   "resolvedModel": resolved, "citedRate": cited, "citedRateInterval": rate_interval(cited, 0.2), "linkedRate": linked,
                   "rank": ranks.get(ranks.len() / 2), "scoreInterval": interval(score, 11.0 + m as f64, false), "coverage": 1.0,
                   "informativeRate": 0.9, "answers": answers, "error": null})
        })
        .collect()
}

fn cite(seed: u64, model: usize, question: usize, shift: i64) -> Cite {
    let mut dice = Dice(seed + 977 * model as u64 + 131 * question as u64);
    dice.roll(7);
    dice.roll(7);
    Cite::roll(&mut dice, LUCK[model].saturating_add_signed(shift))
}

const MARKETS: [(u8, &str, &str, f64, f64, u64); 11] = [
    (1, "Valencia", "Valencia", 0.0, 0.0, 814_208),
    (1, "Torrent", "Valencia", 8.6, 232.0, 85_142),
    (1, "Paterna", "Valencia", 6.2, 301.0, 73_829),
    (2, "Sagunto", "Valencia", 26.4, 14.0, 67_173),
    (2, "Gandia", "Valencia", 58.0, 158.0, 76_497),
    (2, "Sueca", "Valencia", 32.9, 168.0, 27_598),
    (3, "Castelló de la Plana", "Castellón", 64.8, 29.0, 174_264),
    (3, "Xàtiva", "Valencia", 55.1, 196.0, 29_921),
    (4, "Alicante", "Alicante", 124.5, 183.0, 349_282),
    (4, "Teruel", "Aragon", 115.7, 318.0, 36_240),
    (4, "Albacete", "Castilla-La Mancha", 148.2, 242.0, 174_336),
];

fn rings() -> Vec<Value> {
    [(1, 0, 25, 0.62), (2, 25, 50, 0.44), (3, 50, 100, 0.29), (4, 100, 250, 0.08)]
        .into_iter()
        .map(|(ring, from, to, rate): (u8, u16, u16, f64)| {
            let markets: Vec<Value> = MARKETS.iter().filter(|market| market.0 == ring).enumerate().map(|(n, market)| {
                let local = (rate + 0.12 - 0.1 * n as f64).clamp(0.0, 1.0);
                json!({"id": format!("{}", 2_500_000 + n), "name": market.1, "admin": market.2, "country": "Spain", "countryCode": "ES", "lat": 39.47, "lon": -0.37,
                       "population": market.5, "distanceKm": market.3, "bearingDeg": market.4, "crossBorder": false, "score": local * 62.0, "citedRate": local,
                       "questions": 10, "answered": if n == 1 { 9 } else { 10 }, "topCompetitors": ["Grau & Fills", "Fontaneria Ros", "Hidro24"]})
            }).collect();
            json!({"ring": ring, "fromKm": from, "toKm": to, "status": if ring == 2 { "partial" } else { "complete" }, "score": rate * 58.0,
                   "scoreInterval": interval(rate * 58.0, 9.0, false), "answers": markets.len() * 10, "citedRate": rate, "citedRateInformative": rate + 0.05,
                   "citedRateInterval": rate_interval(rate, 0.14), "markets": markets})
        })
        .collect()
}

fn map() -> Value {
    let points: Vec<Value> = MARKETS
        .iter()
        .map(|market| json!({"name": market.1, "bearingDeg": market.4, "distanceKm": market.3, "score": (64.0 - market.3 * 0.42).max(3.0), "answers": 10, "ring": market.0}))
        .collect();
    json!({"ringEdgesKm": [25, 50, 100, 250], "points": points})
}

const COMPETITORS: [(&str, Option<&str>, f64, f64); 14] = [
    ("Grau & Fills", Some("grauifills.example"), 58.3, 0.71),
    ("Hidro24", Some("hidro24.example"), 41.9, 0.63),
    ("Aigua Clara", Some("aiguaclara.example"), 37.2, 0.55),
    ("Fontaneria Ros", Some("fontaneriaros.example"), 30.8, 0.49),
    (
        "Servihogar Levante",
        Some("servihogar-levante.example"),
        22.4,
        0.38,
    ),
    ("Túria Reparacions", None, 17.0, 0.31),
    (
        "Desatascos Mestalla",
        Some("desatascosmestalla.example"),
        14.6,
        0.27,
    ),
    ("Clima i Aigua", Some("climaiaigua.example"), 11.1, 0.2),
    ("Lampisteria Russafa", None, 9.7, 0.19),
    ("24h Fontaneros", Some("fontaneros24h.example"), 8.8, 0.18),
    ("Multiservicios Albufera", Some("albufera.example"), 6.1, 0.12),
    ("Calderas Norte", None, 4.4, 0.09),
    ("Instalaciones Peris", Some("peris.example"), 3.0, 0.06),
    ("Fugas y Más", None, 1.2, 0.02),
];

fn competitors(shift: f64) -> Vec<Value> {
    let sum: f64 = COMPETITORS.iter().map(|competitor| competitor.2).sum();
    let mut rows: Vec<Value> = COMPETITORS
        .iter()
        .enumerate()
        .map(|(n, (name, domain, score, named))| {
            let own = *name == "Aigua Clara";
            let score = if own { score + shift } else { *score - shift / 10.0 };
            json!({"rank": n + 1, "rankInterval": {"low": (n + 1).saturating_sub(1 + n / 4).max(1), "high": n + 2 + n / 3}, "name": name, "domain": domain, "kind": "rival",
                   "self": own, "score": score, "share": score / sum, "appearanceRate": named, "interval": rate_interval(*named, 0.09),
                   "meanRank": 1.2 + n as f64 * 0.4, "linkedRate": if domain.is_some() { 0.62 } else { 0.0 },
                   "models": MODELS.iter().take(5 - n / 4).map(|model| model.0).collect::<Vec<_>>(), "rings": [1, 2], "aliases": [], "weak": n == 13})
        })
        .collect();
    for (n, (name, kind, named)) in [
        ("Páginas Amarillas", "directory", 0.41),
        ("Habitissimo", "directory", 0.33),
        ("Google Maps", "directory", 0.29),
        ("Reddit", "media", 0.12),
        ("Las Provincias", "media", 0.05),
    ]
    .into_iter()
    .enumerate()
    {
        rows.push(json!({"rank": n + 1, "rankInterval": null, "name": name, "domain": null, "kind": kind, "self": false, "score": named * 40.0, "share": named / 10.0,
                         "appearanceRate": named, "interval": null, "meanRank": null, "linkedRate": 0.9, "models": ["model-1-latest"], "rings": [], "aliases": []}));
    }
    rows
}

fn place() -> Value {
    json!({"text": "Valencia, Spain", "ambiguous": true,
           "resolved": {"name": "Valencia", "admin": "Comunitat Valenciana", "country": "Spain", "countryCode": "ES", "lat": 39.47, "lon": -0.377, "population": 814_208, "matched": "exact"},
           "alternatives": [{"name": "Valencia", "admin": "Carabobo", "country": "Venezuela", "countryCode": "VE", "lat": 10.16, "lon": -68.0, "population": 1_619_470, "matched": "exact"}]})
}

fn sources() -> Value {
    let site = |domain: &str, kind: &str, answers: u32, with: u32| {
        json!({"domain": domain, "kind": kind, "answers": answers, "share": f64::from(answers) / 106.0, "pages": 2, "url": format!("https://{domain}/valencia"),
               "targetAnswers": with, "competitors": [{"name": "Grau & Fills", "answers": answers}, {"name": "Hidro24", "answers": 3}], "models": ["model-1-latest"]})
    };
    json!([
        site("guiaoficis.example", "directory", 44, 0),
        site("aiguaclara.example", "own", 31, 31),
        site("grauifills.example", "competitor", 30, 11),
        site("diari.example", "media", 9, 0),
        site("xn--mller-kva.example", "other", 2, 1)
    ])
}

fn intents() -> Value {
    let intent = |name: &str, cited: u32| {
        json!({"intent": name, "questions": 1, "answers": 5, "score": 12.0 * f64::from(cited), "citedRate": f64::from(cited) / 5.0,
               "citedRateInterval": {"low": 0.1, "high": 0.9, "level": 0.95, "lowPrecision": true},
               "stances": {"recommended": cited, "neutral": 0, "discouraged": 1, "absent": 4 - cited}, "topCompetitors": ["Grau & Fills"]})
    };
    json!([intent("list", 3), intent("best", 2), intent("price", 0)])
}

fn moves() -> Value {
    json!([
        {"kind": "missing_sources", "title": "Get named on guiaoficis.example and diari.example", "answers": 53,
         "why": "2 directories, media and other sites are cited in answers, and none of these answers cites aiguaclara.example.",
         "evidence": [{"domain": "guiaoficis.example", "url": "https://guiaoficis.example/valencia", "competitors": ["Grau & Fills"], "answers": 44}]},
        {"kind": "lost_questions", "title": "Be an answer to the question that only competitors win", "answers": 5,
         "why": "The answers to 1 of 10 core questions put competitors forward and never cite aiguaclara.example.",
         "evidence": [{"questionId": "c7", "question": "¿Cuánto cuesta un fontanero?", "competitors": ["Hidro24"], "answers": 5}]},
        {"kind": "lost_town", "title": "Become known in Xàtiva", "answers": 10,
         "why": "Xàtiva, 52 km away, is the nearest of 3 towns in which no answer cites aiguaclara.example.",
         "evidence": [{"town": "Xàtiva", "ring": 2, "distanceKm": 52.3, "competitors": ["Grau & Fills"], "answers": 10}]}
    ])
}

fn document() -> Value {
    let models = models(4, 0, 10);
    let overall = models
        .iter()
        .filter_map(|model| model["score"].as_f64())
        .sum::<f64>()
        / 5.0;
    json!({
        "domain": "aiguaclara.example", "keyword": "plumber", "location": place(), "overallScore": overall, "interval": interval(overall, 12.2, false),
        "samplingInterval": interval(overall, 8.4, false), "readingError": 8.9, "models": models,
        "radius": {"status": "partial", "scope": "city", "rings": rings(), "topCompetitors": competitors(0.0), "citationRadiusKm": 71.0, "radiusRangeKm": [48.0, 103.0],
                   "censored": false, "thresholdPct": 25, "map": map()},
        "sources": sources(), "pages": [{"url": "https://aiguaclara.example/serveis", "answers": 31, "share": 0.29, "intents": ["list", "best"], "models": ["model-1-latest"]}],
        "intents": intents(), "moves": moves(),
        "brandNames": [{"name": "Aigua Clara", "source": "request"}, {"name": "aiguaclara", "source": "domain"}, {"name": "AiguaClara SL", "source": "home_page"}],
        "usage": {"questions": 160, "answered": 158, "failed": 2, "promptTokens": 21_480, "completionTokens": 96_212, "costUsd": 2.413},
        "method": {"version": "1.3", "language": "es", "templates": QUESTIONS.map(|question| question.0), "webSearch": true, "branded": false, "resamples": 2000},
        "sandbox": false, "warnings": [{"code": "location_ambiguous", "message": "Two questions of ring 2 got no answer; their market rests on nine."}],
        "startedAt": "2026-11-21T10:01:12Z", "finishedAt": "2026-11-21T10:03:08Z"
    })
}

/// Five models, ten questions, four rings.
pub(crate) fn rich() -> Outcome<ScanResult> {
    Ok(serde_json::from_value(document())?)
}

/// The same, two weeks later.
pub(crate) fn later() -> Outcome<ScanResult> {
    let mut document = document();
    let models = models(4, 16, 10);
    let overall = models
        .iter()
        .filter_map(|model| model["score"].as_f64())
        .sum::<f64>()
        / 5.0;
    document["overallScore"] = json!(overall);
    document["interval"] = interval(overall, 12.0, false);
    document["samplingInterval"] = interval(overall, 8.1, false);
    document["models"] = json!(models);
    document["models"][4]["resolvedModel"] = json!("deepseek/deepseek-v5");
    document["radius"]["topCompetitors"] = json!(competitors(11.0));
    document["finishedAt"] = json!("2026-12-05T09:41:00Z");
    document["startedAt"] = json!("2026-12-05T09:39:00Z");
    Ok(serde_json::from_value(document)?)
}

/// Three questions, a model that failed, one that stopped early, no place.
pub(crate) fn poor() -> Outcome<ScanResult> {
    let mut document = document();
    document["models"] = json!(models(9, -20, 3));
    document["models"][1]["coverage"] = json!(0.0);
    document["models"][1]["score"] = json!(0.0);
    document["models"][1]["answers"] = json!([]);
    document["models"][1]["error"] =
        json!({"code": "rate_limited", "message": "The provider limited the key; no question was answered."});
    document["models"][2]["coverage"] = json!(0.667);
    document["models"][2]["answers"][2]["class"] = json!(null);
    document["models"][2]["answers"][2]["score"] = json!(null);
    document["models"][3]["informativeRate"] = json!(0.33);
    document["overallScore"] = json!(9.4);
    document["interval"] = interval(21.0, 20.0, true);
    document["readingError"] = Value::Null;
    document["location"] = json!(null);
    document["radius"] = json!({"status": "no_location", "scope": null, "rings": [], "topCompetitors": competitors(-30.0), "citationRadiusKm": null, "radiusRangeKm": null, "censored": false, "thresholdPct": 25, "map": null});
    document["method"]["branded"] = json!(true);
    document["usage"] = json!({"questions": 15, "answered": 11, "failed": 4, "promptTokens": 1480, "completionTokens": 6212, "costUsd": null});
    document["warnings"] = json!([{"code": "rings_ignored", "message": "Rings were asked for but no place was given, so none was scanned."},
                                  {"code": "branded", "message": "The keyword names the website; the score says little about strangers."}]);
    Ok(serde_json::from_value(document)?)
}

/// One model, one question.
pub(crate) fn demo() -> Outcome<ScanResult> {
    let mut document = document();
    document["models"] = json!([models(4, 0, 1)[1]]);
    let score = document["models"][0]["score"].clone();
    document["interval"] = interval(score.as_f64().unwrap_or_default(), 38.0, true);
    document["readingError"] = Value::Null;
    document["overallScore"] = score;
    document["location"] = json!(null);
    document["radius"]["rings"] = json!([]);
    document["radius"]["status"] = json!("not_requested");
    document["radius"]["map"] = json!(null);
    document["radius"]["topCompetitors"] = json!(competitors(0.0).into_iter().take(4).collect::<Vec<_>>());
    document["usage"] = json!({"questions": 1, "answered": 1, "failed": 0, "promptTokens": 118, "completionTokens": 512, "costUsd": 0.0114});
    document["sandbox"] = json!(true);
    document["warnings"] = json!([]);
    Ok(serde_json::from_value(document)?)
}

/// The text of an attacker.
const ATTACK: &str = "\"><script>alert(1)</script><img src=x onerror=alert(2)>' onmouseover='alert(3) \u{202e}drowkcab\u{2066}";

/// Every free text is an attack.
pub(crate) fn hostile() -> Outcome<ScanResult> {
    fn poison(value: &mut Value) {
        match value {
            Value::String(text) if text.contains(' ') => *text = format!("{ATTACK} {text}"),
            Value::Array(values) => values.iter_mut().for_each(poison),
            Value::Object(members) => members.values_mut().for_each(poison),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut document = document();
    poison(&mut document);
    document["keyword"] = json!("plumber \"><script>alert(1)</script>");
    Ok(serde_json::from_value(document)?)
}

/// The evidence of a result: every core answer and some of the rings.
pub(crate) fn evidence(result: &ScanResult) -> Value {
    let attack = result.keyword.as_str().contains('<');
    let mut answers = Vec::new();
    for (m, model) in result.models.iter().enumerate() {
        for (q, answer) in model.answers.iter().enumerate() {
            let (template, question) = QUESTIONS[q % QUESTIONS.len()];
            let cite = answer.class.map_or("missing", |class| class.as_str());
            answers.push(entry(
                &answer.question_id,
                model.model.as_str(),
                None,
                (template, question),
                (m + q, cite),
                answer,
                attack,
            ));
        }
        for market in MARKETS.iter().filter(|_| !result.radius.rings.is_empty()) {
            if let Some(answer) = model.answers.get(usize::from(market.0)) {
                let question = format!(
                    "¿Qué fontaneros en {} recomendarías? Nombra varios y di por qué.",
                    market.1
                );
                let cite = answer.class.map_or("missing", |class| class.as_str());
                let id = format!("r{}-{}", market.0, market.1);
                answers.push(entry(
                    &id,
                    model.model.as_str(),
                    Some((market.0, market.1)),
                    ("list", &question),
                    (m + usize::from(market.0), cite),
                    answer,
                    attack,
                ));
            }
        }
    }
    json!({"scanId": "x", "domain": result.domain, "keyword": result.keyword, "brandNames": [], "aliases": [], "method": {"version": "1.3"}, "answers": answers})
}

fn entry(
    id: &str,
    model: &str,
    market: Option<(u8, &str)>,
    (template, question): (&str, &str),
    (form, class): (usize, &str),
    answer: &ibid_model::result::AnswerSummary,
    attack: bool,
) -> Value {
    let text = (class != "missing").then(|| text(form, class, attack));
    let quotes: Vec<Value> = text
        .iter()
        .flat_map(|text| ["**Aigua Clara** (aiguaclara.example) – quick with leaks, clear quotes before the work starts", "Aigua Clara"].into_iter().filter_map(|quote| Some((quote, text.find(quote)?))).take(1))
        .map(|(quote, start)| json!({"text": quote, "start": start, "end": start + quote.len()}))
        .collect();
    let url = if attack {
        "javascript:alert(1)"
    } else {
        "https://www.aiguaclara.example/urgencias"
    };
    json!({
        "questionId": id, "model": model, "resolvedModel": "provider/model-2026-11", "ring": market.map(|market| market.0), "market": market.map(|market| market.1),
        "template": template, "language": if market.is_some() { "es" } else { "en" },
        "question": if attack { format!("{ATTACK} {question}") } else { question.to_owned() }, "text": text,
        "citations": [{"url": url, "title": if attack { ATTACK } else { "Fontaneros en Valencia – Aigua Clara" }}, {"url": "https://habitissimo.example/fontaneros/valencia", "title": "Los mejores fontaneros de Valencia"},
                      {"url": "not an address", "title": null}],
        "error": if class == "missing" { json!("The provider did not answer in time.") } else { json!(null) },
        "reading": {"answerClass": "answer", "class": if class == "missing" { json!(null) } else { json!(class) }, "rank": answer.rank, "stance": if class == "none" { "absent" } else { "recommended" },
                    "named": class != "none", "linkKind": "host", "url": null, "score": answer.score, "breakdown": answer.breakdown, "informative": true,
                    "entities": [], "decision": (class != "none").then(|| json!({"rule": "the head of an item, a row or a section", "sure": 0.62, "passage": if attack { ATTACK } else { "Aigua Clara – quick with leaks, clear quotes" }})),
                    "quotes": quotes, "flags": if form.is_multiple_of(4) { json!(["list_after_prose"]) } else { json!([]) }}
    })
}

fn text(form: usize, class: &str, attack: bool) -> String {
    let target = match class {
        "none" => "**Túria Reparacions** – small team, evenings only.",
        _ => "**Aigua Clara** (aiguaclara.example) – quick with leaks, clear quotes before the work starts.",
    };
    let hostile = if attack {
        format!(
            "\n\n<script>alert(1)</script> [link](javascript:alert(1)) ![x](https://evil.example/p.gif) {ATTACK}"
        )
    } else {
        String::new()
    };
    let first = class == "primary";
    let body = match form % 5 {
        0 => format!(
            "Here are plumbers in Valencia that people speak well of:\n\n1. {}\n2. {}\n3. **Fontaneria Ros** – large jobs, boilers and whole bathrooms.\n\nAsk for a written quote, and check that the technician is registered.",
            if first {
                target
            } else {
                "**Grau & Fills** – open at night, fixed prices."
            },
            if first {
                "**Grau & Fills** – open at night, fixed prices."
            } else {
                target
            }
        ),
        1 => format!(
            "### Best for emergencies\n**Hidro24** answers the telephone day and night.\n\n### Best for leaks\n{target}\n\n### Best for large jobs\n**Fontaneria Ros** has its own crew and a showroom near the port."
        ),
        2 => format!(
            "| Company | Good at | Website |\n|---|---|---|\n| Grau & Fills | nights, fixed prices | grauifills.example |\n| {} | leaks, clear quotes | aiguaclara.example |\n| Hidro24 | drains | hidro24.example |\n\nPrices in the city run from 45 to 90 € an hour.",
            if class == "none" {
                "Túria Reparacions"
            } else {
                "Aigua Clara"
            }
        ),
        3 => format!(
            "For most repairs I would start with Grau & Fills, who publish their prices. {} If neither has time, [Hidro24](https://hidro24.example/) covers the whole province.",
            target.replace("**", "")
        ),
        _ => format!(
            "- {target}\n- **Servihogar Levante**: contracts for landlords\n- **Desatascos Mestalla**: drains and pumps\n\n> Prices rise at weekends; ask before anybody sets out."
        ),
    };
    body + &hostile
}
