//! Public links: owners make and revoke them, readers with the link open them.

use crate::{SMALL, workspace};
use ibid_tests::member::Member;

#[tokio::test]
async fn a_link_opens_one_report_until_it_is_revoked() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 2).await;
    let stranger = Member::stranger(&server);
    let scan = ada.start(&SMALL).await;
    ada.listen(&scan).await;
    let reply = ada.post(&format!("{scan}/share"), &[]).await;
    assert_eq!(reply.header("location"), format!("{scan}#keep"));
    let link = |page: &str| {
        let after = page.split("http://ibid.test/s/").nth(1)?;
        Some(format!("/s/{}", after.split('"').next()?))
    };
    let first = link(&ada.open(&scan).await.text).unwrap();
    let page = stranger.open(&first).await;
    assert_eq!(
        (page.status.as_u16(), page.header("x-robots-tag")),
        (200, "noindex")
    );
    assert!(page.text.contains("Shared report") && page.text.contains(&format!("{first}/models.csv")));
    // Nothing of the owner, and nothing to change.
    assert!(!page.text.contains("ada@example.com") && !page.text.contains("/workspace/scans/"));
    assert!(!page.text.contains("Tags and sharing"));
    for rest in [
        "/answers",
        "/result.json",
        "/answers.json",
        "/models.csv",
        "/competitors.csv",
    ] {
        assert_eq!(
            stranger.open(&format!("{first}{rest}")).await.status,
            200,
            "{rest}"
        );
    }
    for rest in ["/tags", "/share", "/cancel", "/events"] {
        assert_eq!(
            stranger
                .post(&format!("{first}{rest}"), &[])
                .await
                .status
                .as_u16()
                / 100,
            4,
            "{rest}"
        );
    }
    // Sharing again is the same link; after revoking it is another one.
    ada.post(&format!("{scan}/share"), &[]).await;
    assert_eq!(link(&ada.open(&scan).await.text).unwrap(), first);
    ada.post(&format!("{scan}/share/revoke"), &[]).await;
    assert_eq!(stranger.open(&first).await.status, 404);
    assert_eq!(stranger.open(&format!("{first}/result.json")).await.status, 404);
    ada.post(&format!("{scan}/share"), &[]).await;
    let second = link(&ada.open(&scan).await.text).unwrap();
    assert_ne!(second, first);
    assert_eq!(stranger.open(&second).await.status, 200);
    for guess in ["/s/", "/s/x", "/s/%00", "/s/00000000-0000-4000-8000-000000000000"] {
        assert_eq!(stranger.open(guess).await.status, 404, "{guess}");
    }
}
