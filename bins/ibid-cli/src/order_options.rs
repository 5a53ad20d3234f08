//! Takes an order's fields as arguments of `ibid scan`, rendered from the contract's rows.

use crate::cli_options;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use ibid_model::contract::field::{QUESTION_SET, QUESTIONS, QUESTIONS_PER_MODEL, WORKSPACE};
use ibid_model::contract::{Field, Shape};
use ibid_model::{Catalog, ScanForm};
use serde_json::{Map, Value, json};

/// The fields that the command line gives, with their texts.
pub(crate) struct OrderOptions(Vec<(&'static Field, Vec<String>)>);

impl OrderOptions {
    /// Returns the order as a request of the API, so that both have the same rules and messages.
    pub(crate) fn body(&self, catalog: &Catalog) -> Map<String, Value> {
        let value = |field: &Field, texts: &[String]| match (field.shape, texts) {
            (Shape::Models, texts) => texts
                .iter()
                .map(|name| cli_options::alias(catalog, name))
                .collect(),
            (Shape::Rings, [none]) if none == "none" => json!([]),
            (_, texts) => field.value(&texts.iter().map(|text| text.trim()).collect::<Vec<_>>()),
        };
        let members = self.0.iter();
        members
            .map(|(field, texts)| (field.name.to_owned(), value(field, texts)))
            .collect()
    }
}

/// Lists the fields that have an argument. `--ask` and `--skip` change the list of questions, and sets are on a server.
fn fields() -> impl Iterator<Item = &'static Field> {
    WORKSPACE
        .iter()
        .copied()
        .filter(|field| ![QUESTIONS, QUESTION_SET].contains(field))
}

fn argument(field: &'static Field) -> Arg {
    let argument = match field.option.strip_prefix("--") {
        None => Arg::new(field.name).value_name(field.option).required(true),
        Some(option) => Arg::new(field.name).long(option),
    };
    match field.shape {
        _ if argument.is_positional() => argument.help(field.help),
        Shape::Text { .. } | Shape::Word(_) | Shape::Secret => argument
            .value_name("TEXT")
            .help(format!("{}. {}", field.label, field.help))
            .help_heading("Questions"),
        Shape::Rings => argument
            .value_delimiter(',')
            .value_name("RINGS")
            .help(field.help)
            .help_heading("Questions"),
        Shape::Points { .. } | Shape::Dollars { .. } => argument
            .value_name("NUMBER")
            .allow_negative_numbers(true)
            .help(format!("{}. In place of --questions and --rings", field.help))
            .help_heading("Questions"),
        Shape::Count { .. } => {
            let default = ScanForm::Byok.default_of(field);
            // Without generated questions their number means nothing, so one option takes either.
            let or_file = if *field == QUESTIONS_PER_MODEL {
                ". Or a file with your own questions"
            } else {
                ""
            };
            let help = format!(
                "{}, {}; default {default}. {}{or_file}",
                field.label,
                field.words(),
                field.help
            );
            argument
                .value_name("NUMBER")
                .allow_negative_numbers(true)
                .help(help)
                .help_heading("Questions")
        }
        Shape::Models => argument
            .value_delimiter(',')
            .value_name("MODELS")
            .help(field.help)
            .help_heading("Models"),
        Shape::Texts { .. } | Shape::Questions { .. } => argument
            .action(ArgAction::Append)
            .value_name("TEXT")
            .help(format!("{}; may be repeated. {}", field.label, field.help))
            .help_heading("Names"),
        Shape::Flag => argument
            .action(ArgAction::SetTrue)
            .help(field.help)
            .help_heading("Names"),
    }
}

impl Args for OrderOptions {
    fn augment_args(command: Command) -> Command {
        fields().fold(command, |command, field| command.arg(argument(field)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for OrderOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let given = |field: &'static Field| match field.shape {
            Shape::Flag => matches.get_flag(field.name).then(|| (field, Vec::new())),
            _ => {
                let texts = matches.get_many::<String>(field.name)?;
                Some((field, texts.cloned().collect()))
            }
        };
        Ok(Self(fields().filter_map(given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
