use crate::error::Error;
use crate::paid::{PaymentFigures, PaymentOffer, ReceiptPage, ReceiptsOrder, Sales};
use crate::payment_due::PaymentDue;
use crate::planner::Planner;
use crate::runs::run::Run;
use ibid_model::{Network, Offering, Product};
use ibid_x402::Listing;
use std::sync::Arc;

/// Prices, offers and receipts. Cheap to clone.
#[derive(Clone)]
pub struct Shop {
    /// `None` if selling is off.
    pub(crate) sales: Option<Arc<Sales>>,
    pub(crate) planner: Arc<Planner>,
}

impl Shop {
    /// Returns the receipts for the wallet that signed the proof, which is verified, valid once, and never settled.
    ///
    /// # Errors
    /// Every fault of a payment; [`Error::PaidDisabled`].
    pub async fn receipts(&self, offer: PaymentOffer, order: ReceiptsOrder) -> Result<ReceiptPage, Error> {
        self.sales()?.receipts(offer, order).await
    }

    /// Returns what a payment has bought with the request before, although today's plans or terms refuse it with an
    /// error.
    ///
    /// # Errors
    /// This error if nothing was bought; the fault of the settlement otherwise.
    pub async fn bought(&self, offer: PaymentOffer, error: Error) -> Result<Run, Error> {
        match (&self.sales, offer.payment) {
            (Some(sales), Some(payment)) => {
                let identities = payment.identities(&sales.settings.terms);
                sales.bought(identities, offer.request, offer.caller, error).await
            }
            _ => Err(error),
        }
    }

    pub fn price(&self, product: Product, listing: &Arc<Listing>) -> Result<PaymentDue, Error> {
        self.sales()?.price(product, listing)
    }

    /// Asks the facilitator now for its networks.
    /// This happens at the start and every hour by itself.
    pub async fn check_networks(&self) {
        if let Some(sales) = &self.sales {
            sales.check_networks().await;
        }
    }

    /// Returns what is sold from the price list: without audits no product with a page.
    pub fn offering(&self) -> Offering {
        let sales = self.sales.as_ref();
        let part = sales.map_or(Offering::NOTHING, |sales| sales.settings.offering());
        if self.planner.audits() {
            part
        } else {
            part.without_pages()
        }
    }

    /// Refuses a product that is not sold.
    ///
    /// # Errors
    /// [`Error::PaidDisabled`]; [`Error::AuditsDisabled`] for a product that would be sold if audits were on.
    pub fn check_sold(&self, product: Product) -> Result<(), Error> {
        if self.sells(product) {
            return Ok(());
        }
        match self.sales()?.settings.sells(product) {
            true => Err(Error::AuditsDisabled),
            false => Err(Error::PaidDisabled),
        }
    }

    /// Whether a product is sold.
    pub fn sells(&self, product: Product) -> bool {
        self.offering().has(product.skill())
    }

    /// Returns the chain on which buyers pay, or `None` if selling is off.
    pub fn network(&self) -> Option<Network> {
        self.sales.as_ref().map(|sales| sales.settings.terms.network())
    }

    /// Reads figures about payments, or `None` if selling is off.
    pub async fn payment_figures(&self) -> Result<Option<PaymentFigures>, Error> {
        match &self.sales {
            Some(sales) => sales.figures().await.map(Some),
            None => Ok(None),
        }
    }

    pub(crate) fn sales(&self) -> Result<&Arc<Sales>, Error> {
        self.sales.as_ref().ok_or(Error::PaidDisabled)
    }
}
