// An OpenID provider on loopback with three people, whose claims a test changes.
import { createServer } from 'node:http'
import Provider from 'oidc-provider'

export const people = new Map([
  ['ada', { email: 'ada@agency.example', email_verified: true, groups: ['staff'] }],
  ['grace', { email: 'grace@agency.example', email_verified: true, groups: ['staff', 'others'] }],
  ['mallory', { email: 'ada@agency.example', email_verified: false, groups: ['ibid-admins'] }],
])

export async function provide(client) {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${server.address().port}`
  const provider = new Provider(issuer, {
    clients: [{ ...client, response_types: ['code'], grant_types: ['authorization_code'] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    scopes: ['openid', 'email', 'groups'],
    cookies: { keys: ['test'] },
    features: { devInteractions: { enabled: true } },
    pkce: { required: () => true },
    findAccount: (_, sub) => people.has(sub) && { accountId: sub, claims: () => ({ sub, ...people.get(sub) }) },
  })
  server.on('request', provider.callback())
  return { issuer, close: () => server.close() }
}
