//! The stories in which money was lost before, and those around them.

use crate::story::play;
use serde_json::json;

#[tokio::test]
#[ignore = "needs a chain: .ci/with-chain"]
async fn an_ordinary_purchase() {
    play("an ordinary purchase", async |story| {
        let reply = story.send().await;
        assert_eq!(reply.status, 200, "{}: {}", story.name, reply.text);
        story.end(true).await;
    })
    .await;
}

/// The block comes after the facilitator has given up waiting for it.
#[tokio::test]
#[ignore = "needs a chain: .ci/with-chain"]
async fn a_slow_block() {
    play("a slow block", async |story| {
        story.stage.stop_mining().await;
        let reply = story.send().await;
        story.assert_unknown(&reply);
        story.end(true).await;
    })
    .await;
}

/// The node takes the transaction, and the facilitator never hears of it.
#[tokio::test]
#[ignore = "needs a chain: .ci/with-chain"]
async fn a_lost_answer_of_the_node() {
    play("a lost answer of the node", async |story| {
        story.stage.ask("_proxy", json!({"mode": "drop"})).await;
        let reply = story.send().await;
        // With a reader and enough blocks the transfer may be seen at once.
        if reply.status != 200 {
            story.assert_unknown(&reply);
        }
        story.end(true).await;
    })
    .await;
}

/// A stranger's transaction with the same authorization is mined before ours, which is then reverted.
#[tokio::test]
#[ignore = "needs a chain: .ci/with-chain"]
async fn a_front_runner() {
    play("a front-runner", async |story| {
        story.stage.stop_mining().await;
        let (reply, ()) = tokio::join!(story.send(), async {
            story.until_sent().await;
            story.front_run().await;
            story.stage.ask("_mining", json!({"blocks": 1})).await;
        });
        if reply.status != 200 {
            story.assert_unknown(&reply);
        }
        story.end(true).await;
    })
    .await;
}

/// The facilitator tries again by itself, and then says of its own transfer that the authorization is used.
#[tokio::test]
#[ignore = "needs a chain: .ci/with-chain"]
async fn a_facilitator_that_settles_twice() {
    play("a facilitator that settles twice", async |story| {
        story.stage.ask("_settle", json!({"again": true})).await;
        let reply = story.send().await;
        if reply.status != 200 {
            story.assert_unknown(&reply);
        }
        story.end(true).await;
    })
    .await;
}

/// An observer of the payment carries the transfer out before the facilitator sends anything.
#[tokio::test]
#[ignore = "needs a chain: .ci/with-chain"]
async fn an_observer() {
    play("an observer", async |story| {
        let declines = json!({"status": 429, "times": 1_000});
        story.stage.ask("_settle", declines).await;
        let (reply, ()) = tokio::join!(story.send(), async {
            story.until_settling().await;
            story.front_run().await;
        });
        if reply.status != 200 {
            story.assert_unknown(&reply);
        }
        story.end(true).await;
    })
    .await;
}

/// The facilitator declines, and the payer cancels before the next attempt.
#[tokio::test]
#[ignore = "needs a chain: .ci/with-chain"]
async fn a_cancellation_during_an_outage() {
    for status in [429, 500] {
        play("a cancellation during an outage", async |story| {
            story
                .stage
                .ask("_settle", json!({"status": status, "times": 1_000}))
                .await;
            let reply = story.send().await;
            story.assert_unknown(&reply);
            story.cancel().await;
            story.end(false).await;
        })
        .await;
    }
}

/// The payer's cancellation is mined before the transfer, which is then reverted.
#[tokio::test]
#[ignore = "needs a chain: .ci/with-chain"]
async fn a_cancellation_before_a_pending_transfer() {
    play("a cancellation before a pending transfer", async |story| {
        story.stage.stop_mining().await;
        let (reply, ()) = tokio::join!(story.send(), async {
            story.until_settling().await;
            story.cancel().await;
        });
        story.assert_unknown(&reply);
        story.end(false).await;
    })
    .await;
}

/// The payer cancels with the facilitator at work, and the transfer is reverted while it waits.
#[tokio::test]
#[ignore = "needs a chain: .ci/with-chain"]
async fn a_reverted_transfer() {
    play("a reverted transfer", async |story| {
        story.stage.stop_mining().await;
        let (reply, ()) = tokio::join!(story.send(), async {
            story.until_settling().await;
            story.cancel().await;
            story.stage.ask("_mining", json!({"blocks": 1})).await;
        });
        if reply.status != 402 {
            story.assert_unknown(&reply);
        }
        story.end(false).await;
    })
    .await;
}
