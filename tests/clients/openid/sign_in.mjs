// Signs people in by the provider: sign_in.mjs SERVER DIRECTORY.
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import { readFileSync, writeFileSync, openSync } from 'node:fs'
import { createServer } from 'node:net'
import { Browser } from './browser.mjs'
import { people, provide } from './provider.mjs'

const [program, directory] = process.argv.slice(2)
const password = 'correct horse battery'
const secret = 'a-secret-that-no-log-may-hold-0123456789'

const port = await new Promise((resolve) => {
  const socket = createServer().listen(0, '127.0.0.1', () => {
    const { port } = socket.address()
    socket.close(() => resolve(port))
  })
})
const here = `http://127.0.0.1:${port}`
const provider = await provide({ client_id: 'ibid', client_secret: secret, redirect_uris: [`${here}/sign-in/openid/back`] })
writeFileSync(`${directory}/secret`, `${secret}\n`)
const env = {
  PATH: process.env.PATH,
  BIND: `127.0.0.1:${port}`,
  DATABASE_URL: `sqlite:${directory}/ibid.db`,
  // Nothing of this test leaves the machine.
  ROUTER_BASE_URL: 'http://127.0.0.1:9',
  WEBHOOK_ALLOW: new URL(provider.issuer).host,
  OIDC_ISSUER: provider.issuer,
  OIDC_CLIENT_ID: 'ibid',
  OIDC_CLIENT_SECRET_FILE: `${directory}/secret`,
  OIDC_ROLES: 'ibid-admins=admin, staff=member',
}
const manage = (args, { input = '', ...more } = {}) =>
  execFileSync(program, args, { env: { ...env, ...more }, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] })

let server
async function serve(more = {}) {
  const log = openSync(`${directory}/log`, 'a')
  server = spawn(program, [], { env: { ...env, LOG: 'debug', ...more }, stdio: ['ignore', log, log] })
  for (let tries = 0; tries < 200; tries++) {
    if (await fetch(`${here}/healthz`).then((answer) => answer.ok, () => false)) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(readFileSync(`${directory}/log`, 'utf8'))
}
async function stop() {
  const ended = new Promise((resolve) => server.on('exit', resolve))
  server.kill('SIGTERM')
  await ended
}

const begin = `${here}/sign-in/openid`
async function signIn(browser, login, next = '') {
  return browser.ask(await browser.provide(begin + next, provider.issuer, login))
}
async function account(browser) {
  const { status, text } = await browser.ask(`${here}/workspace/account`)
  return status === 200 ? text.match(/<p class="lead-s"><bdi>([^<]+)<\/bdi>, (\w+)/).slice(1).join(' ') : status
}

try {
  await serve()
  manage(['user', 'add', 'ada@agency.example'], { input: `${password}\n` })

  // A group with a role opens an account; the same person gets the same one.
  const grace = new Browser()
  const first = await signIn(grace, 'grace', '?next=/workspace/scans')
  assert.deepEqual([first.status, first.to], [303, `${here}/workspace/scans`])
  assert.equal(await account(grace), 'grace@agency.example member')
  people.get('grace').groups = ['others', 'ibid-admins', 'staff']
  assert.equal((await signIn(new Browser(), 'grace')).status, 303)
  assert.equal(await account(grace), 'grace@agency.example admin')
  assert.equal(manage(['user', 'list']).trim().split('\n').length, 2)

  // A group that is gone ends the role, and the sessions of the account with it.
  people.get('grace').groups = ['others']
  const gone = await signIn(new Browser(), 'grace')
  assert.equal(gone.status, 403)
  assert.match(gone.text, /None of your groups/)
  assert.equal(await account(grace), 303)
  assert.match(manage(['user', 'list']), /grace@agency\.example\s+viewer/)

  // An address that is not verified leads nowhere.
  const mallory = await signIn(new Browser(), 'mallory')
  assert.equal(mallory.status, 403)
  assert.match(mallory.text, /not verified/)

  // An address that is verified leads to an account after its password, and after a confirmation.
  const ada = new Browser()
  const known = await signIn(ada, 'ada')
  assert.equal(known.to, `${here}/workspace/account/openid`)
  const asked = await ada.follow(known, here)
  assert.match(asked.text, /There is an account with your address/)
  const form = { email: 'ada@agency.example', password, next: '/workspace/account/openid' }
  const confirm = await ada.follow(await ada.ask(`${here}/sign-in`, form), here)
  assert.match(confirm.text, /Join both/)
  assert.equal((await ada.ask(`${here}/workspace/account/openid`, {})).to, `${here}/workspace/account#openid`)
  const again = new Browser()
  assert.equal((await signIn(again, 'ada')).to, `${here}/workspace/projects`)
  assert.equal(await account(again), 'ada@agency.example member')
  // Without a pass of this address nothing is joined.
  const none = await ada.ask(`${here}/workspace/account/openid`, {})
  assert.equal(none.to, `${here}/workspace/account/openid`)

  // A way back is for one browser, once, with its own state.
  const eve = new Browser()
  const back = await again.provide(begin, provider.issuer, 'ada')
  assert.equal((await eve.ask(back)).status, 400)
  assert.equal((await again.ask(back.replace(/state=[^&]+/, 'state=other'))).status, 400)
  assert.equal((await again.ask(back)).status, 400, 'the first return ended the flow')
  const refused = await eve.ask(begin)
  assert.equal((await eve.ask(`${here}/sign-in/openid/back?error=access_denied&state=${new URL(refused.to).searchParams.get('state')}`)).status, 400)
  const challenge = new URL(refused.to).searchParams
  assert.deepEqual(
    [challenge.get('code_challenge_method'), challenge.get('scope'), challenge.get('redirect_uri')],
    ['S256', 'openid email groups', `${here}/sign-in/openid/back`],
  )
  assert.ok(challenge.get('nonce') && challenge.get('code_challenge'))

  // A person stops signing in by the provider.
  assert.equal((await again.ask(`${here}/workspace/account/openid/part`, {})).status, 303)
  assert.equal((await signIn(new Browser(), 'ada')).to, `${here}/workspace/account/openid`)
  await stop()

  // Without passwords a link of the operator is a way in.
  await serve({ PASSWORD_SIGN_IN: 'off' })
  const late = new Browser()
  const page = await late.ask(`${here}/sign-in`)
  assert.ok(!page.text.includes('type="password"') && page.text.includes('/sign-in/openid'))
  assert.equal((await late.ask(`${here}/sign-in`, { email: 'ada@agency.example', password })).status, 401)
  assert.equal(await account(late), 303)
  const link = manage(['user', 'link', 'ada@agency.example']).trim()
  assert.ok(link.startsWith(`${here}/set-password/`))
  assert.equal((await late.ask(link, { password: 'another horse battery' })).status, 303)
  assert.equal(await account(late), 'ada@agency.example member')
  assert.equal((await new Browser().ask(link, { password: 'another horse battery' })).status, 404)
  await stop()

  // The operator's checks.
  // The provider is in this process, which therefore waits without stopping; other checks of the doctor may fail.
  const doctor = (more) =>
    new Promise((resolve) => execFile(program, ['doctor'], { env: { ...env, ...more } }, (_, output) => resolve(output)))
  assert.match(await doctor({}), /ok +sign-in +http/)
  assert.match(await doctor({ WEBHOOK_ALLOW: '' }), /FAULT +configuration +OIDC_ISSUER cannot be used/)
  assert.match(await doctor({ OIDC_ISSUER: `${provider.issuer}/` }), /FAULT +sign-in/)
  assert.match(await doctor({ OIDC_ISSUER: '', PASSWORD_SIGN_IN: 'off' }), /FAULT +configuration +PASSWORD_SIGN_IN/)

  const log = readFileSync(`${directory}/log`, 'utf8')
  for (const hidden of [secret, new URL(back).searchParams.get('code'), 'eyJ']) assert.ok(!log.includes(hidden), hidden)
  console.log('signed in by the provider: opened, joined, refused, parted, and by a link')
} catch (error) {
  console.error(readFileSync(`${directory}/log`, 'utf8').slice(-4000))
  throw error
} finally {
  server?.kill('SIGKILL')
  provider.close()
}
