//! Every page in every state, with invented data.

mod audit;
mod openapi;
pub(crate) mod projects;
mod scan;
pub(crate) mod workspace;

use ibid_model::result::AuditComparison;
use ibid_model::{Catalog, FaultCode, Faults, ReceiptId, ScanId, UsdMicros};
use ibid_web::pages::{self, ModelChoice};
use ibid_web::{AccountView, EvidenceView, Frame, LlmsTxtPage, Notice, NoticeKind, RenderError, csv};
use std::error::Error;

pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

/// The files of the gallery: names and contents.
pub(crate) fn all() -> Outcome<Vec<(String, String)>> {
    let mut gallery = Gallery { files: Vec::new() };
    gallery.public()?;
    gallery.reports()?;
    workspace::write(&mut gallery)?;
    workspace::money(&mut gallery)?;
    projects::write(&mut gallery)?;
    Ok(gallery.files)
}

/// The documents behind the pages, which tests attack.
pub(crate) fn rich_scan() -> Outcome<ibid_model::ScanResult> {
    scan::rich()
}

/// See [`rich_scan`].
pub(crate) fn audit_report() -> Outcome<ibid_model::result::AuditReport> {
    audit::report()
}

/// See [`rich_scan`].
pub(crate) fn site_audit() -> Outcome<ibid_model::result::SiteAudit> {
    audit::site()
}

/// See [`rich_scan`].
pub(crate) fn openapi() -> serde_json::Value {
    openapi::document()
}

pub(crate) struct Gallery {
    files: Vec<(String, String)>,
}

const ACCOUNT: AccountView<'_> = AccountView {
    email: "ana@aiguaclara.example",
    credits: 41,
    admin: false,
};

impl Gallery {
    /// The account of the reader, in every state.
    fn account(&mut self) -> Outcome<()> {
        let form = pages::BrandForm {
            title: "Agència Nord",
            most_title: 80,
            logo: true,
            most_logo_kib: 100,
            error: None,
        };
        let refused = pages::BrandForm {
            logo: false,
            error: Some("Nothing was changed: a logo is a PNG or a JPEG picture."),
            ..form
        };
        for (name, brand, error) in [
            ("account", Some(form), None),
            ("account-brand-refused", Some(refused), None),
            (
                "account-viewer",
                None,
                Some("Nothing was deleted: the password is wrong."),
            ),
        ] {
            let page = pages::AccountPage {
                digests: &[],
                sends_mail: true,
                digest_error: None,
                email: ACCOUNT.email,
                role: if brand.is_some() { "member" } else { "viewer" },
                credits: ACCOUNT.credits,
                two_step: false,
                provider: Some(("id.agency.example", brand.is_some())),
                brand,
                error,
            };
            self.page(name, pages::account(&member(), &page))?;
        }
        Ok(())
    }

    /// The second step of signing in, in every state.
    fn two_step(&mut self) -> Outcome<()> {
        let next = "/workspace";
        for (name, error) in [
            ("sign-in-code", None),
            ("sign-in-code-error", Some("The code is wrong.")),
        ] {
            let page = pages::CodePage { next, error };
            self.page(name, pages::sign_in_code(&guest(), &page))?;
        }
        let codes: Vec<_> = (2..7).map(|n| format!("abc{n}-defg-hijk-lmno")).collect();
        let begun = pages::SecondStepState::Begun {
            secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
            uri: "otpauth://totp/ibid:ana%40aiguaclara.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ibid",
        };
        for (name, state, error) in [
            ("two-step-off", pages::SecondStepState::Off, None),
            ("two-step-begun", begun, Some("The code is wrong.")),
            (
                "two-step-confirmed",
                pages::SecondStepState::Confirmed(&codes),
                None,
            ),
            ("two-step-on", pages::SecondStepState::On { codes_left: 1 }, None),
        ] {
            let page = pages::SecondStepPage { state, error };
            self.page(name, pages::second_step(&member(), &page))?;
        }
        Ok(())
    }
}

fn guest() -> Frame<'static> {
    Frame {
        base_url: "https://ibid.example",
        contact: Some("access@ibid.example"),
        ..Frame::default()
    }
}

fn member() -> Frame<'static> {
    Frame {
        account: Some(ACCOUNT),
        ..guest()
    }
}

/// Ids of the gallery are the same in every run.
fn id(n: u8) -> ScanId {
    ScanId::from_bytes([
        n, 0x1f, 0x77, 0x3a, 0x90, 0x0b, 0x4c, 0x2e, 0x8d, 0x51, 0x66, 0x02, 0xee, 0x19, 0x34, n,
    ])
}

fn receipt_id(n: u8) -> ReceiptId {
    ReceiptId::from_bytes([n; 16])
}

impl Gallery {
    pub(crate) fn page(&mut self, name: &str, html: Result<String, RenderError>) -> Outcome<()> {
        self.files.push((format!("{name}.html"), html?));
        Ok(())
    }

    fn public(&mut self) -> Outcome<()> {
        let none = Faults::default();
        let home = |demo| pages::HomePage {
            demo,
            sold: ibid_model::Offering::EVERYTHING,
            network: Some("base-sepolia"),
            sample: None,
            looks: true,
        };
        let open = pages::Demo::Open {
            domain: "",
            keyword: "",
            faults: &none,
        };
        self.page("index", pages::home(&guest(), &home(open)))?;
        let sandbox = Frame {
            sandbox: true,
            ..guest()
        };
        let with_sample = pages::HomePage {
            sample: Some("/s/sample"),
            ..home(open)
        };
        self.page("home-sandbox", pages::home(&sandbox, &with_sample))?;
        let mut faults = Faults::one(
            "/domain",
            FaultCode::Invalid,
            "domain is not a website: it has no public suffix",
        );
        faults.push(
            "",
            FaultCode::OutOfRange,
            "The free question was asked five times from your address today.",
        );
        let refused = pages::Demo::Open {
            domain: "localhost",
            keyword: "plumber",
            faults: &faults,
        };
        self.page("home-faults", pages::home(&guest(), &home(refused)))?;
        let reason = "The free questions of today are used up. Come back tomorrow, or sign in.";
        self.page(
            "home-closed",
            pages::home(&guest(), &home(pages::Demo::Closed { reason })),
        )?;
        self.looks()?;
        self.page(
            "sign-in",
            pages::sign_in(
                &guest(),
                &pages::SignInPage {
                    email: "",
                    next: "/workspace",
                    error: None,
                    passwords: true,
                    provider: Some(("id.agency.example", "/sign-in/openid")),
                },
            ),
        )?;
        let error =
            Some("The address or the password is wrong. After five failures signing in waits a while.");
        let wrong = pages::SignInPage {
            email: "ana@aiguaclara.example",
            next: "/workspace",
            error,
            passwords: true,
            provider: None,
        };
        self.page("sign-in-error", pages::sign_in(&guest(), &wrong))?;
        for (name, may_join) in [("join", true), ("join-late", false)] {
            let page = pages::JoinPage {
                host: "id.agency.example",
                email: "ana@aiguaclara.example",
                may_join,
            };
            self.page(name, pages::join(&guest(), &page))?;
        }
        self.two_step()?;
        self.account()?;
        let failure = pages::FailurePage {
            status: 404,
            title: "There is no such page",
            detail: "The address may be mistyped, or the report behind it is private or revoked.",
            request_id: Some("7c9e6679-7425-40de-944b"),
            way_out: pages::WayOut::Home,
        };
        self.page("failure", pages::failure(&guest(), &failure))?;
        self.page("error-codes", pages::error_codes(&guest()))?;
        self.page("glossary", pages::glossary(&guest()))?;
        let catalog = Catalog::builtin();
        let models: Vec<_> = catalog
            .models()
            .iter()
            .map(|model| ModelChoice::of(model, None, true))
            .collect();
        let openapi = openapi();
        let docs = pages::DocsPage {
            openapi: &openapi,
            models: &models,
            sold: ibid_model::Offering::EVERYTHING,
            network: Some("base-sepolia"),
        };
        self.page("docs", pages::docs(&guest(), &docs))?;
        self.page("docs-schemas", pages::docs_schemas(&guest(), docs.openapi))?;
        let llms = ibid_web::llms_txt(&LlmsTxtPage {
            base_url: "https://ibid.example",
            models: &models,
            defaults: catalog.defaults().len(),
            sold: ibid_model::Offering::EVERYTHING,
            network: Some("base-sepolia"),
            sandbox: false,
            contact: Some("access@ibid.example"),
        });
        self.files.push(("llms.txt".to_owned(), llms));
        Ok(())
    }

    /// The first look: before, after, and refused.
    fn looks(&mut self) -> Outcome<()> {
        let none = Faults::default();
        let empty = pages::LookPage {
            entries: pages::LookEntries::default(),
            faults: &none,
            error: None,
            seen: None,
        };
        self.page("look", pages::look(&guest(), &empty))?;
        let audit = audit_report()?;
        let questions = [
            "Who are the best plumbers in Valencia?",
            "plumber in Valencia with fair prices",
        ];
        let questions = questions.map(str::to_owned);
        let offer = |name, dollars: u64, points, sees| pages::OfferRow {
            name,
            scan: UsdMicros::new(dollars * 1_000_000),
            month: UsdMicros::new(dollars * 4_000_000),
            points,
            sees,
        };
        let offers = [
            offer("OpenAI GPT (latest flagship)", 1, 26.0, Some((20, 8))),
            offer("One question alone", 0, 40.0, None),
            offer("The first 3 together", 3, 15.0, Some((15, 4))),
        ];
        let seen = pages::LookPage {
            entries: pages::LookEntries {
                domain: "aiguaclara.example",
                keyword: "plumber",
                location: "Valencia, Spain",
                language: "en",
            },
            seen: Some(pages::SeenView {
                audit: &audit,
                findings: &[(
                    "Search agents may fetch the page",
                    "Give PerplexityBot a group of its own.",
                )],
                guessed: true,
                questions: &questions,
                offers: &offers,
            }),
            ..empty
        };
        self.page("look-seen", pages::look(&member(), &seen))?;
        let faults = Faults::one(
            "/keyword",
            FaultCode::Required,
            "keyword is required: the page does not say what it sells",
        );
        let refused = pages::LookPage {
            faults: &faults,
            error: Some("Your page could not be read: it did not answer."),
            ..empty
        };
        self.page("look-refused", pages::look(&guest(), &refused))
    }

    fn reports(&mut self) -> Outcome<()> {
        let result = rich_scan()?;
        let evidence = EvidenceView::read(&scan::evidence(&result));
        let tags = ["client".to_owned(), "autumn".to_owned()];
        let share = Some(pages::ShareView {
            url: "https://ibid.example/s/8nqU1mYtJc0xk2Zr5vQe7w",
            until: None,
            protected: true,
        });
        let page = |viewer| pages::ReportPage {
            id: id(1),
            result: &result,
            evidence: Some(&evidence),
            brand: None,
            viewer,
        };
        let owner = |share| {
            pages::Viewer::Owner(pages::Owner {
                title: None,
                tags: &tags,
                share,
                scoring: pages::Scoring::Current,
            })
        };
        self.page("report", pages::report(&member(), &page(owner(None))))?;
        let notice = Some(Notice {
            kind: NoticeKind::Done,
            text: "The report has a public link now.",
        });
        self.page(
            "report-shared",
            pages::report(&Frame { notice, ..member() }, &page(owner(share))),
        )?;
        let old = |scoring| {
            pages::Viewer::Owner(pages::Owner {
                title: None,
                tags: &tags,
                share: None,
                scoring,
            })
        };
        for (name, scoring) in [
            ("report-outdated", pages::Scoring::Outdated),
            ("report-renewable", pages::Scoring::Renewable),
            ("report-rescored", pages::Scoring::Again),
        ] {
            self.page(name, pages::report(&member(), &page(old(scoring))))?;
        }
        let public = pages::Viewer::Public {
            path: "/s/8nqU1mYtJc0xk2Zr5vQe7w",
            open: true,
        };
        self.page("report-public", pages::report(&guest(), &page(public)))?;
        for (name, title, logo) in [
            ("report-brand", Some("Agència Nord, per a Aigua Clara"), true),
            ("report-brand-logo", None, true),
            ("report-brand-title", Some("清水設計 · Agència Nord"), false),
        ] {
            let branded = pages::ReportPage {
                brand: Some(pages::Brand { title, logo }),
                ..page(public)
            };
            self.page(name, pages::report(&guest(), &branded))?;
        }
        let no_evidence = pages::ReportPage {
            evidence: None,
            ..page(owner(None))
        };
        self.page("report-no-evidence", pages::report(&member(), &no_evidence))?;
        let poor = scan::poor()?;
        let poor_evidence = EvidenceView::read(&scan::evidence(&poor));
        let troubled = pages::ReportPage {
            id: id(2),
            result: &poor,
            evidence: Some(&poor_evidence),
            brand: None,
            viewer: owner(None),
        };
        self.page("report-troubled", pages::report(&member(), &troubled))?;
        let demo = scan::demo()?;
        let demo_evidence = EvidenceView::read(&scan::evidence(&demo));
        let demo_page = pages::ReportPage {
            id: id(3),
            result: &demo,
            evidence: Some(&demo_evidence),
            brand: None,
            viewer: pages::Viewer::Demo,
        };
        self.page(
            "report-demo",
            pages::report(
                &Frame {
                    sandbox: true,
                    ..guest()
                },
                &demo_page,
            ),
        )?;
        let hostile = scan::hostile()?;
        let hostile_evidence = EvidenceView::read(&scan::evidence(&hostile));
        let attack = pages::ReportPage {
            id: id(4),
            result: &hostile,
            evidence: Some(&hostile_evidence),
            brand: None,
            viewer: owner(None),
        };
        self.page("report-hostile", pages::report(&member(), &attack))?;
        let answers = |filter| pages::AnswersPage {
            id: id(1),
            domain: &result.domain,
            keyword: &result.keyword,
            result: &result,
            evidence: &evidence,
            brand: None,
            viewer: owner(None),
            filter,
        };
        let unfiltered = pages::AnswerFilter::default();
        self.page("answers", pages::answers(&member(), &answers(&unfiltered)))?;
        let filter =
            pages::AnswerFilter::read([("model", "model-2-latest"), ("class", "primary"), ("ring", "5")]);
        self.page("answers-none", pages::answers(&member(), &answers(&filter)))?;
        for sheet in csv::Sheet::ALL {
            self.files.push((
                sheet.file_name().to_owned(),
                csv::export(sheet, &result, Some(&evidence)),
            ));
        }
        let second = scan::later()?;
        let step = |number, result| pages::SeriesStep {
            id: id(number),
            result,
        };
        let fell = "Fell from 38 to 23 (−15, −22 to −8) about 3 November; noticed 10 November.".to_owned();
        let sentences = ["This run 23 (12–36).".to_owned(), fell.clone()];
        let changes = [(id(2), fell)];
        let series = [
            pages::ScanSeries {
                steps: vec![step(1, &result), step(2, &second)],
                sentences: &sentences,
                changes: &changes,
            },
            pages::ScanSeries {
                steps: vec![step(2, &second)],
                sentences: &[],
                changes: &[],
            },
        ];
        for (name, series) in [("website", &series[..]), ("website-empty", &[])] {
            let page = pages::WebsitePage {
                domain: "aiguaclara.example",
                series,
                older: 3,
            };
            self.page(name, pages::website(&member(), &page))?;
        }
        for (name, comparison) in workspace::comparisons()? {
            let page = pages::ComparePage {
                first: pages::ComparedSide {
                    id: id(1),
                    result: &result,
                },
                second: pages::ComparedSide {
                    id: id(5),
                    result: &second,
                },
                comparison: &comparison,
            };
            self.page(name, pages::compare(&member(), &page))?;
        }
        let report = audit_report()?;
        self.page(
            "audit",
            pages::audit(
                &member(),
                &pages::AuditPage {
                    id: id(6),
                    report: &report,
                    history: &[audit_row(6, 74), audit_row(7, 30)],
                    earlier: Some(pages::EarlierAudit {
                        id: id(7),
                        comparison: &AuditComparison::of(&audit::capped()?, &report),
                    }),
                },
            ),
        )?;
        let capped = audit::capped()?;
        self.page(
            "audit-capped",
            pages::audit(
                &member(),
                &pages::AuditPage {
                    id: id(7),
                    report: &capped,
                    history: &[],
                    earlier: None,
                },
            ),
        )?;
        self.page(
            "audit-form",
            pages::audit_form(&member(), &pages::AuditForm::default()),
        )?;
        let refused = pages::AuditForm {
            bots: true,
            url: "http://10.0.0.1/",
            error: Some("That address is not on the public internet."),
            site: pages::SiteBounds {
                default_pages: 20,
                most_pages: 50,
                requests: 120,
                mebibytes: 64,
                minutes: 5,
            },
            recent: &[audit_row(6, 74)],
        };
        self.page("audit-form-error", pages::audit_form(&member(), &refused))?;
        let site = site_audit()?;
        let page = pages::SiteAuditPage {
            id: id(8),
            audit: &site,
        };
        self.page("site-audit", pages::site_audit(&member(), &page))?;
        let progress = pages::SiteProgressPage {
            address: &site.url,
            pages: (3, 20),
            failure: None,
        };
        self.page("site-progress", pages::site_progress(&member(), &progress))
    }
}

fn audit_row(number: u8, score: u8) -> pages::AuditRow {
    pages::AuditRow {
        id: id(number),
        address: "https://www.aiguaclara.example/serveis/fontaneria-urgent".to_owned(),
        score: Some(score),
        at: jiff::Timestamp::UNIX_EPOCH,
        is_site: false,
    }
}
