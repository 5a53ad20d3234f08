//! Fits what sold orders cost to their price.

use crate::error::Error;
use ibid_engine::plan::{AnswerFloor, Fit, Plan, PlanOptions};
use ibid_model::contract::field::SIZES;
use ibid_model::{Catalog, Model, ModelAlias, PriceList, Product, ScanDraft, ScanForm, UsdMicros};
use serde_json::{Map, Value, json};

/// How many models are asked, the cheapest ones, if the operator names none.
const CHEAPEST: usize = 3;

/// The most that one run of each product may cost the operator at the provider, approximately.
/// A product without a cap leaves it to the price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CostCaps([Option<UsdMicros>; Product::ALL.len()]);

impl CostCaps {
    pub fn with(caps: impl IntoIterator<Item = (Product, Option<UsdMicros>)>) -> Self {
        let mut all = Self::default();
        for (product, cap) in caps {
            if let Some(place) = all.0.get_mut(product as usize) {
                *place = cap;
            }
        }
        all
    }

    /// Returns a product's cap, if the operator set one; audits ask no model.
    pub fn of(self, product: Product) -> Option<UsdMicros> {
        self.0.get(product as usize).copied().flatten()
    }
}

/// The prices and caps by which orders are fitted.
#[derive(Clone, Copy, Debug)]
pub struct SoldOrders<'a> {
    pub prices: PriceList,
    /// The most that one run may cost at the provider.
    pub caps: CostCaps,
    /// Models for orders that cost too much with the usual ones; empty for the cheapest.
    pub models: &'a [ModelAlias],
}

impl SoldOrders<'_> {
    /// Returns a product's price in dollars: a token counts as a dollar, also in millionths.
    pub fn price(&self, product: Product) -> UsdMicros {
        UsdMicros::new(self.prices.of(product.skill()).get())
    }

    /// The bill at which a run with this estimate asks no further question: the cap, if there is one.
    /// Otherwise the larger of the price and one and a half times the estimate.
    pub(crate) fn spending(&self, product: Product, estimate: UsdMicros) -> UsdMicros {
        let half_more = UsdMicros::new(estimate.get().saturating_add(estimate.get().div_ceil(2)));
        let usual = half_more.max(self.price(product));
        self.caps.of(product).unwrap_or(usual)
    }

    /// Plans a product's default order, with a place.
    ///
    /// # Errors
    /// [`Error::PlanTooLarge`] if the operator's ceiling is under the default order;
    /// [`Error::PlanTooExpensive`] if the cap is.
    pub fn default_plan(
        &self,
        product: Product,
        catalog: &Catalog,
        options: PlanOptions,
    ) -> Result<Plan, Error> {
        let form = product.form().unwrap_or(ScanForm::Scan);
        let members = default_draft();
        let draft = ScanDraft(&members);
        let fit = self.fit(product, draft, catalog, options);
        let order = draft.parse(catalog, form).map_err(Error::Invalid)?;
        Ok(Plan::fitted(order, options, &fit)?)
    }

    /// Returns what bounds an order: four fifths of its price, and the members in the request. A price of 0.50, for example,
    /// takes a plan of at most 0.40.
    pub(crate) fn fit(
        &self,
        product: Product,
        draft: ScanDraft<'_>,
        catalog: &Catalog,
        options: PlanOptions,
    ) -> Fit {
        let cap = self.caps.of(product);
        let budget = UsdMicros::new(self.price(product).get() / 5 * 4);
        let named = SIZES.iter().filter(|field| draft.names(field));
        let (answers, core_answers) = match product.form() {
            Some(ScanForm::Radius) => (0, 3),
            _ => (6, 0),
        };
        Fit {
            budget: cap.map_or(budget, |cap| cap.min(budget)),
            cap,
            floor: AnswerFloor {
                answers,
                core_answers,
            },
            models: self.models_of(catalog, options.web_search),
            named: named.map(|field| field.name).collect(),
        }
    }

    /// The models that the operator names, or the cheapest ones, in the order of the table.
    fn models_of(&self, catalog: &Catalog, web_search: bool) -> Vec<Model> {
        let named = self.models.iter();
        let named: Vec<Model> = named
            .filter_map(|alias| catalog.resolve(alias.as_str()).cloned())
            .collect();
        if !named.is_empty() {
            return named;
        }
        let mut costs: Vec<UsdMicros> = catalog
            .models()
            .iter()
            .map(|model| model.cost_per_question(web_search))
            .collect();
        costs.sort_unstable();
        let most = costs.get(CHEAPEST - 1).or(costs.last()).copied();
        let cheap = |model: &&Model| most.is_none_or(|most| model.cost_per_question(web_search) <= most);
        let cheapest = catalog.models().iter().filter(cheap);
        cheapest.take(CHEAPEST).cloned().collect()
    }
}

/// An order with the fields of all products, in a town with markets around it. The domain and the keyword do not
/// change the estimate.
fn default_draft() -> Map<String, Value> {
    let members = [
        ("domain", "example.com"),
        ("keyword", "plumber"),
        ("location", "Lyon, France"),
    ];
    members
        .map(|(name, value)| (name.to_owned(), json!(value)))
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::WorkspaceRuns;

    const OPTIONS: PlanOptions = PlanOptions {
        web_search: true,
        most_questions: 1_000,
    };

    fn estimate(product: Product, caps: CostCaps, models: &[ModelAlias]) -> Result<UsdMicros, Error> {
        let orders = SoldOrders {
            prices: PriceList::STANDARD,
            caps,
            models,
        };
        orders
            .default_plan(product, &Catalog::builtin(), OPTIONS)
            .map(|plan| plan.estimate())
    }

    #[test]
    fn at_the_built_in_prices_a_fifth_of_every_default_order_is_left() {
        for product in [Product::Scan, Product::Radius, Product::Full] {
            let estimate = estimate(product, CostCaps::default(), &[]).unwrap();
            let price = product.price().get();
            assert!(
                estimate > UsdMicros::ZERO && estimate.get() <= price / 5 * 4,
                "{product}: {estimate} of {price}"
            );
        }
    }

    #[test]
    fn the_operator_chooses_models_and_caps() {
        let list = [
            "model-2-latest".parse().unwrap(),
            "model-3-latest".parse().unwrap(),
        ];
        let none = CostCaps::default();
        // At the floor of six answers it is sold at a loss.
        let dear = estimate(Product::Scan, none, &list).unwrap();
        assert!(dear.get() > Product::Scan.price().get(), "{dear}");
        let capped = CostCaps::with([(Product::Scan, Some(UsdMicros::new(100_000)))]);
        let refused = estimate(Product::Scan, capped, &[]);
        assert!(
            matches!(refused, Err(Error::PlanTooExpensive { .. })),
            "{refused:?}"
        );
    }

    #[test]
    fn a_credit_of_the_workspace_pays_for_everything_that_one_scan_asks_by_default() {
        let draft = default_draft();
        let order = ScanDraft(&draft)
            .parse(&Catalog::builtin(), ScanForm::Workspace)
            .unwrap();
        let largest = Plan::of(order, OPTIONS).unwrap();
        assert_eq!(largest.len(), 99);
        assert!(
            largest.estimate() <= WorkspaceRuns::USUAL_COST,
            "{}",
            largest.estimate()
        );
    }
}
