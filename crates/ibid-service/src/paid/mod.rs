//! Selling: admit a payment once, do the work, settle, hand over.
//!
//! ```text
//! plan -> price -> local checks -> claim -> verify -> run -> hold -> settle -> hand over
//! ```
//! From the claim on, a purchase is a task of the service, so a buyer's disconnect has no effect. Every step is stored
//! before the next one starts, so a crash has no effect either. [`ibid_store::PaymentState`] decides which steps are
//! legal.

mod evidence;
mod figures;
mod look;
mod offer;
mod purchase;
mod receipts;
mod reconcile;
mod recover;
mod sales;
mod settings;
mod settle;
mod shop;
mod single_flight;
mod sold_orders;
mod stored;

pub use figures::PaymentFigures;
pub use offer::PaymentOffer;
pub(crate) use purchase::{MayBegin, settlement_of};
pub use receipts::{ReceiptPage, ReceiptsOrder};
pub use reconcile::{Reconciliation, reconcile, unrecorded};
pub use sales::CallTimes;
pub(crate) use sales::Sales;
pub use settings::{Exposure, Paid, Timing};
pub use shop::Shop;
pub use sold_orders::{CostCaps, SoldOrders};
