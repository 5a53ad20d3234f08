//! Random sequences of inviting, accepting, revoking, leaving and deleting give no one a right that no living admin granted.
#![expect(clippy::unwrap_used, reason = "a test suite that other crates run")]

use super::projects::{change, client, invitation_of};
use super::workspace::{NOW, account, open_session};
use crate::{
    DailyRoom, Invited, KeyAccess, NewApiKey, NewInvitation, ProjectReader, ProjectRole, ProjectScope, Right,
    Rights, Store, StoreError,
};
use ibid_model::{AccountId, ApiKeyId, OrganisationId, ProjectId};

const LADDER: [(Right, u8); 5] = [
    (Right::ReadProject, 1),
    (Right::RunProject, 2),
    (Right::EditProject, 3),
    (Right::AdminProject, 4),
    (Right::AdminOrganisation, 4),
];

/// What a person has been granted, as anybody would note it on paper.
struct Person {
    id: AccountId,
    email: String,
    is_disabled: bool,
    is_admin: bool,
    role: Option<ProjectRole>,
    /// What waits, with who offered it: a role in the project, or (`None`) that of an admin.
    offers: Vec<(Option<ProjectRole>, AccountId)>,
}

struct Key {
    id: ApiKeyId,
    hash: [u8; 32],
    level: u8,
    owner: Option<AccountId>,
    parent: Option<ApiKeyId>,
}

struct World<'a> {
    store: &'a Store,
    organisation: OrganisationId,
    project: ProjectId,
    people: Vec<Person>,
    keys: Vec<Key>,
    seed: u64,
}

/// Runs the suite.
pub(crate) fn run(store: &Store) {
    for seed in 1..=40 {
        let mut world = World::new(store, seed);
        for _ in 0..60 {
            let step = world.step();
            world.check(&format!("seed {seed}: {step}"));
        }
    }
}

impl<'a> World<'a> {
    fn new(store: &'a Store, seed: u64) -> Self {
        let (admin, organisation, project) = client(store);
        let mut people: Vec<_> = (0..4).map(|_| newcomer(store)).collect();
        people.push(Person {
            id: admin,
            email: store.account_by_id(admin).unwrap().unwrap().email,
            is_admin: true,
            ..newcomer(store)
        });
        Self {
            store,
            organisation,
            project,
            people,
            keys: Vec::new(),
            seed,
        }
    }

    /// A number below `bound` (xorshift).
    fn any(&mut self, bound: usize) -> usize {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        usize::try_from(self.seed % 1_000_003).unwrap() % bound
    }

    fn is_living_admin(&self, id: AccountId) -> bool {
        let mut people = self.people.iter();
        people.any(|person| person.id == id && person.is_admin && !person.is_disabled)
    }

    fn lives(&self, key: &Key) -> bool {
        let parent = key.parent.map(|id| self.keys.iter().find(|key| key.id == id));
        key.owner.is_none_or(|owner| self.is_living_admin(owner))
            && parent.is_none_or(|parent| parent.is_some_and(|parent| self.lives(parent)))
    }

    /// The scope of somebody who signs in or of a key, if it may manage the project.
    fn managing(&self, reader: ProjectReader) -> Option<ProjectScope> {
        let scope = self.store.project_scope(reader, self.project).unwrap();
        scope.filter(|scope| scope.may(Right::AdminProject))
    }

    /// Does something at random, and notes what follows from it.
    fn step(&mut self) -> String {
        let (kind, by, whom) = (self.any(12), self.any(5), self.any(5));
        let (author, target) = (self.people[by].id, self.people[whom].id);
        let scope = match self.people[by].is_disabled {
            true => None,
            false => self.managing(ProjectReader::Account(author)),
        };
        let role = [None, Some(ProjectRole::Viewer), Some(ProjectRole::Editor)][self.any(3)];
        let what = format!("{kind} by {by} of {whom}, {role:?}");
        match (kind, scope) {
            (0..=2, Some(scope)) => match self.invite(&scope, whom, role) {
                Invited::Joined(_) => self.people[whom].role = role,
                Invited::Waits(_) => {
                    let offers = &mut self.people[whom].offers;
                    offers.retain(|(offered, _)| offered.is_none() != role.is_none());
                    offers.push((role, author));
                }
                Invited::Stranger | Invited::TooMany => {}
            },
            (3 | 4, _) if !self.people[whom].offers.is_empty() && !self.people[whom].is_disabled => {
                let (role, from) = self.people[whom].offers.remove(0);
                let aim = match role {
                    Some(_) => self.project,
                    None => ProjectId::from_bytes(*self.organisation.as_bytes()),
                };
                let accepts = kind == 3;
                let answered = self.store.answer_invitation(target, aim, accepts, NOW).unwrap();
                assert!(!accepts || answered == self.is_living_admin(from), "{what}");
                match role {
                    _ if !accepts || !answered => {}
                    Some(role) => self.people[whom].role = Some(role),
                    None => self.people[whom].is_admin = true,
                }
            }
            (5, Some(scope)) => {
                let gone = self
                    .store
                    .set_project_role(&scope, target, None, change("person_removed"));
                gone.unwrap();
                self.people[whom].role = None;
                self.people[whom].offers.retain(|(role, _)| role.is_none());
            }
            (6, _) => {
                let disabled = !self.people[whom].is_disabled;
                self.store.set_disabled(target, disabled, NOW.into()).unwrap();
                self.people[whom].is_disabled = disabled;
            }
            (7, _) => match self.store.delete_account(target, NOW.into()) {
                Ok(()) => {
                    self.people[whom] = newcomer(self.store);
                    for person in &mut self.people {
                        person.offers.retain(|(_, from)| *from != target);
                    }
                }
                Err(error) => assert!(matches!(error, StoreError::LastAdmin), "{what}: {error}"),
            },
            (8, Some(scope)) => {
                let (access, wide) = (KeyAccess::ALL[self.any(3)], self.any(2) == 0);
                self.add_key(&scope, access, wide);
            }
            (9, _) if !self.keys.is_empty() => {
                let parent = self.any(self.keys.len());
                let key = self.store.api_key(&self.keys[parent].hash, NOW).unwrap();
                if let Some(scope) = key.and_then(|key| self.managing(ProjectReader::Key(key))) {
                    let access = KeyAccess::ALL[self.any(3)];
                    self.add_key(&scope, access, false);
                }
            }
            (10, Some(scope)) if !self.keys.is_empty() => {
                let at = self.any(self.keys.len());
                let id = self.keys[at].id;
                let ended = self
                    .store
                    .revoke_api_key(&scope, id, change("key_revoked"))
                    .unwrap();
                if ended {
                    self.keys.retain(|key| key.id != id && key.parent != Some(id));
                }
            }
            (11, Some(scope)) if !self.keys.is_empty() => {
                let at = self.any(self.keys.len());
                let id = self.keys[at].id;
                if self
                    .store
                    .take_api_key(&scope, id, change("key_taken_over"))
                    .unwrap()
                {
                    (self.keys[at].owner, self.keys[at].parent) = (Some(author), None);
                }
            }
            _ => {}
        }
        what
    }

    fn invite(&self, scope: &ProjectScope, whom: usize, role: Option<ProjectRole>) -> Invited {
        let email = self.people[whom].email.parse().unwrap();
        let invitation = NewInvitation {
            role,
            room: DailyRoom {
                person: 999,
                organisation: 999,
                server: 1_000_000,
            },
            ..invitation_of(&email)
        };
        let invited = self.store.invite(scope, &invitation, change("person_added"));
        invited.unwrap()
    }

    fn add_key(&mut self, scope: &ProjectScope, access: KeyAccess, is_wide: bool) {
        let id = ApiKeyId::random();
        let mut hash = [0; 32];
        hash[..16].copy_from_slice(id.as_bytes());
        let key = NewApiKey {
            id,
            name: "K",
            hash: &hash,
            access,
            expires_at: None,
        };
        let owner = scope.account();
        match is_wide {
            true => self
                .store
                .add_organisation_key(self.organisation, owner, &key, change("key_made"))
                .unwrap(),
            false => assert!(
                self.store
                    .add_api_key(scope, &key, 999, change("key_made"))
                    .unwrap()
            ),
        }
        self.keys.push(Key {
            id,
            hash,
            level: match access {
                KeyAccess::Read => 1,
                KeyAccess::Run => 2,
                KeyAccess::Write if is_wide => 4,
                KeyAccess::Write => 3,
            },
            owner,
            parent: scope.key(),
        });
    }

    fn check(&self, what: &str) {
        let within = |rights: Rights, granted: u8| {
            LADDER
                .iter()
                .all(|(right, level)| !rights.has(*right) || *level <= granted)
                && !rights.has(Right::Operate)
        };
        for person in &self.people {
            let reader = ProjectReader::Account(person.id);
            let Some(scope) = self.store.project_scope(reader, self.project).unwrap() else {
                continue;
            };
            let granted = match (person.is_admin, person.role) {
                (true, _) => 4,
                (false, Some(ProjectRole::Editor)) => 3,
                (false, Some(ProjectRole::Viewer)) => 1,
                (false, None) => 0,
            };
            let held = LADDER
                .map(|(right, _)| right)
                .into_iter()
                .filter(|right| scope.may(*right));
            assert!(within(Rights::of(&held.collect::<Vec<_>>()), granted), "{what}");
        }
        for key in &self.keys {
            let granted = if self.lives(key) { key.level } else { 0 };
            let found = self.store.api_key(&key.hash, NOW).unwrap();
            assert_eq!(found.is_some(), granted > 0, "{what}");
            assert!(found.is_none_or(|found| within(found.rights, granted)), "{what}");
        }
    }
}

fn newcomer(store: &Store) -> Person {
    let account = account(store, 0);
    // An organisation in which nobody else ever was goes with its admin.
    open_session(store, &account, None, NOW);
    Person {
        id: account.id,
        email: account.email,
        is_disabled: false,
        is_admin: false,
        role: None,
        offers: Vec::new(),
    }
}
