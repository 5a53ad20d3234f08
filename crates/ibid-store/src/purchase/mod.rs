//! Payments, from the first claim to the receipt.

mod machine;
mod record;

pub use machine::{ClaimDecision, PaymentState, PaymentStep, PaymentView};
pub use record::{
    Begun, Books, ClaimMode, ClaimOutcome, ExpiredPayments, ExposureLimit, HeldPayment, Lease, Millis,
    OwedWork, PaymentClaim, PaymentCount, ReceiptList, RecordedSettlement, Refund, RefundKind,
    ReportedSettlement, SettledPayment, SoldResult, TokenLedger, Unproven, UnsettledPayment,
};
