use super::*;
use crate::call::Call;

#[test]
fn the_header_chooses_the_form() {
    let check = |version: Option<&str>, rpc, http| {
        assert_eq!(Wire::of_rpc(version), rpc, "{version:?}");
        assert_eq!(Wire::of_http(version), http, "{version:?}");
    };
    let (v03, v10) = (Ok(Wire::Rpc03), Ok(Wire::Rpc10));
    check(None, v03.clone(), Err(CallError::Version));
    check(Some(""), v03.clone(), Err(CallError::Version));
    check(Some("0.3"), v03.clone(), Err(CallError::Version));
    check(Some("0.3.0"), v03, Err(CallError::Version));
    check(Some("1.0"), v10.clone(), Ok(Wire::Http10));
    check(Some(" 1.0.1 "), v10, Ok(Wire::Http10));
    for other in ["1", "1.1", "2.0", "0.2", "1.0.x", "1.0.1.2", "latest"] {
        check(Some(other), Err(CallError::Version), Err(CallError::Version));
    }
}

#[test]
fn a_member_of_the_query_twice_is_a_fault() {
    let query = ["2", "3"].map(|size| ("pageSize".to_owned(), size.to_owned()));
    assert!(Call::of_query("ListTasks", &[], query.clone().into_iter().skip(1)).is_ok());
    let twice = Call::of_query("ListTasks", &[], query.into_iter());
    assert_eq!(
        twice.unwrap_err().code(),
        crate::error::Code::InvalidParams as i32
    );
}
