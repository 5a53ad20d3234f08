//! Inputs for the fields of an order, rendered by their shape.

use super::{ScanFields, fault_of};
use ibid_model::Faults;
use ibid_model::contract::{Field, Shape};

/// An input of a form, with its value and its fault.
pub(super) struct OrderInput {
    pub(super) field: &'static Field,
    pub(super) value: String,
    pub(super) is_set: bool,
    pub(super) fault: String,
}

impl OrderInput {
    pub(super) fn all(
        fields: impl Iterator<Item = &'static Field>,
        form: &ScanFields,
        faults: &Faults,
    ) -> Vec<Self> {
        let input = |field: &'static Field| Self {
            field,
            value: form.text(field.name),
            is_set: form.is_set(field.name),
            fault: fault_of(faults, &format!("/{}", field.name)),
        };
        fields.map(input).collect()
    }

    /// Whether the input is not as it is in an empty form.
    pub(super) fn is_used(&self) -> bool {
        let is_filled = !self.is_flag() && !self.value.is_empty();
        is_filled || self.is_set || !self.fault.is_empty()
    }

    /// The sentences under the input.
    pub(super) fn hint(&self) -> String {
        let help = self.field.help;
        match self.field.shape {
            Shape::Count { least, most, .. } => format!("{least} to {most}. {help}."),
            Shape::Texts { most, .. } => format!("Up to {most}, separated by commas. {help}."),
            _ => format!("{help}."),
        }
    }

    /// Bounds of a number; `None` for other inputs.
    pub(super) fn bounds(&self) -> Option<(u8, u8)> {
        matches!(self.field.shape, Shape::Count { .. }).then(|| self.field.bounds())
    }

    pub(super) fn is_flag(&self) -> bool {
        self.field.shape == Shape::Flag
    }

    pub(super) fn is_list(&self) -> bool {
        matches!(self.field.shape, Shape::Texts { .. })
    }
}
