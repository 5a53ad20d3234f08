//! The phrases that are looked for.

use aho_corasick::{AhoCorasick, MatchKind};
use std::ops::Range;
use std::sync::LazyLock;

/// A list of phrases with `|` between them, searched without regard to ASCII case.
pub(super) struct Phrases(Option<AhoCorasick>);

impl Phrases {
    /// The lists are constants of this file, far below every limit of the automaton.
    /// It is therefore always built.
    fn new(words: &'static str) -> Self {
        let built = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostFirst)
            .build(words.split('|'));
        Self(built.ok())
    }

    pub(super) fn find(&self, text: &str) -> Option<Range<usize>> {
        Some(self.0.as_ref()?.find(text)?.range())
    }

    /// Whether a phrase begins within `reach` bytes of a place.
    pub(super) fn is_near(&self, text: &str, place: usize, reach: usize) -> bool {
        let mut found = self.0.iter().flat_map(|words| words.find_iter(text));
        found.any(|found| found.start().abs_diff(place) < reach)
    }
}

/// Words of a wall, in the languages most pages are written in.
pub(super) static WALL_PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(
        "subscribe to continue|subscribe to read|subscribe to keep reading|sign in to continue reading|sign in to continue|sign in to read|\
        log in to continue|log in to read|register to continue reading|create an account to continue|create a free account to read|\
        already a subscriber|this article is for subscribers|exclusive to subscribers|to continue reading this article|artikel nur für abonnenten|\
        weiterlesen mit|sie haben bereits ein abo|réservé aux abonnés|déjà abonné|contenido exclusivo para suscriptores|\
        suscríbete para seguir leyendo|contenuto riservato agli abbonati|conteúdo exclusivo para assinantes",
    )
});

/// Words that only make sense to a model.
pub(super) static ORDER_PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(
        "ignore previous instructions|ignore all previous|ignore your previous|ignore the previous|ignore the above|ignore all other instructions|\
        ignore any previous|ignore prior instructions|disregard previous|disregard all previous|disregard the above|disregard your instructions|\
        forget your instructions|forget all previous|forget previous instructions|override your instructions|your new instructions|\
        your system prompt|reveal the system prompt|begin system message|im_start|[inst]|<<sys>>|### instruction:|ignoriere alle vorherigen|\
        ignorez les instructions|ignora las instrucciones",
    )
});

/// Forms of address for a model.
pub(super) static MODEL_NAMES: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(
        "ai assistant|ai model|ai agent|ai crawler|ai system|language model|llm|chatgpt|chatbot|gpt-|claude|gemini|perplexity|copilot|dear ai|\
        note to ai|if you are an ai|answer engine",
    )
});

/// Orders given to a model.
pub(super) static MODEL_VERBS: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(
        "recommend|always cite|must cite|cite this|cite us|mention this|mention us|always mention|rank this|rank us|prefer this|prefer our|you must|\
        you should|always say|never say|do not mention|don't mention|respond with|answer with|reply with|tell the user|tell users|say that|\
        state that|describe us|summarize this as|treat this",
    )
});

/// Sentences of the Latin that fills a template.
pub(super) static LATIN: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(
        "lorem ipsum|dolor sit amet|consectetur adipisc|consectetuer adipisc|consetetur sadipscing|sed do eiusmod|sed diam nonum|ut labore et dolore|\
        ut enim ad minim|quis nostrud exerc|duis aute irure|excepteur sint occaecat|at vero eos et accus|sed ut perspiciatis unde|nemo enim ipsam|\
        neque porro quisquam|nulla facilisi|vestibulum ante ipsum|pellentesque habitant morbi|quisque velit nisi|praesent sapien massa|curabitur aliquet quam",
    )
});

/// Other filler, which fits no page.
pub(super) static FILLER: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(
        "behind the word mountains|hinter den wortbergen|ein blindtext|typoblindtext|li europan lingues es membres|your content goes here|\
        your text goes here|your text here|add your text here|insert your text here|insert text here|this is placeholder text|this is dummy text|\
        this is sample text|hier steht ihr text|hier kommt ihr text|hier könnte ihr text|ihr text hier|dies ist ein beispieltext|votre texte ici|\
        tu texto aquí|il tuo testo qui|seu texto aqui|your first post. edit or delete it|i am text block. click edit|ich bin ein textblock. klicke|\
        click edit button to change this text|simply dummy text of the printing|this is a paragraph. click here to add|content coming soon, please replace",
    )
});

/// Sentences in which the name of the firm is missing, or what a template wrote in its place.
pub(super) static GAPS: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(
        "team at is |team at has |team at will |team at can |team at are |here at we |at we pride |at we believe |at we offer |at we understand |\
        at we speciali|at we strive |bei sind wir |bei bieten wir |bei legen wir |welcome to undefined|at undefined,|welcome to null|at null, |\
        © undefined|willkommen bei undefined|willkommen bei null",
    )
});

/// Words of an address, a name or a number that a template asks to replace.
pub(super) static PLACEHOLDERS: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(
        "musterstraße|musterstrasse|musterstadt|musterfirma|muster gmbh|musterdomain|mustermann gmbh|anytown, |your company name|your business name|\
        yourbusiness|your street address|your address here|company name here|your city, |your city name|[your |[company|[business|[firm|[name]|[city|\
        [address|[phone|[street|[ihr|[name |[straße|[strasse|[hausnummer|[ort]|[plz|[telefon|[nom de|[nom]|[nombre|[empresa|[ville|\
        [adresse|[datum|[stadt|[inhaber|[vorname|[nachname|{{company|{{business|{{name|{{city|{{firm|{{ company|{{ business|{{ name|{{ city|\
        %company|%business|@example.com|@yourdomain|@domain.com|@yourcompany|@ihre-domain|@musterfirma|@mustermann|ihre firma gmbh|\
        555-555-5555|(555) 555-|123-456-7890|(123) 456-7890|(xxx) xxx|xxx-xxx-xxxx|+49 123 456|+49 (0)123 456|+49 (0) 123 456|0123 456789|0123/456|\
        0123 / 456|+1 234 567 89|+00 000|12345 musterstadt|1234 street name|123 street name|nombre de la empresa|nom de l'entreprise|nom de l’entreprise",
    )
});
