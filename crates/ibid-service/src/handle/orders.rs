//! Orders that are sold.

use crate::error::Error;
use crate::handle::scans::Scans;
use crate::job::Job;
use ibid_engine::plan::Plan;
use ibid_model::Product;
use serde_json::{Map, Value};

impl Scans {
    /// Plans the body of a purchase.
    /// Members that the buyer left out are fitted to the price.
    pub async fn job(&self, product: Product, body: &Map<String, Value>) -> Result<Job, Error> {
        let orders = self.sales()?.settings.orders();
        self.planner.job(product, body, orders).await
    }

    /// Plans a product's default order, with a place.
    pub fn default_plan(&self, product: Product) -> Result<Plan, Error> {
        let orders = self.sales()?.settings.orders();
        self.planner.default_plan(product, orders)
    }
}
