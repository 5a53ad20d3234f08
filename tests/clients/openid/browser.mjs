// A browser without scripts: cookies of each host, and redirects that it follows by hand.
export class Browser {
  cookies = new Map()

  async ask(url, form) {
    const { host, origin } = new URL(url)
    const jar = this.cookies.get(host) ?? new Map()
    this.cookies.set(host, jar)
    const headers = { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '), 'sec-fetch-site': 'same-origin', origin }
    const body = form && new URLSearchParams(form)
    const answer = await fetch(url, { method: form ? 'POST' : 'GET', headers, body, redirect: 'manual' })
    for (const set of answer.headers.getSetCookie()) {
      const [, name, value] = set.match(/^([^=]+)=([^;]*)/)
      if (value === '' || /Max-Age=0(;|$)/i.test(set) || /expires=Thu, 01 Jan 1970/i.test(set)) jar.delete(name)
      else jar.set(name, value)
    }
    const location = answer.headers.get('location')
    return { url, status: answer.status, to: location && new URL(location, url).href, text: await answer.text() }
  }

  // Follows redirects while they lead to an address that begins with `prefix`.
  async follow(answer, prefix) {
    for (let hops = 0; answer.to?.startsWith(prefix) && hops < 12; hops++) answer = await this.ask(answer.to)
    return answer
  }

  // Begins at a page of the service, signs in at the provider as a person, and returns the address to come back to.
  async provide(begin, issuer, login) {
    let answer = await this.follow(await this.ask(begin), issuer)
    for (const form of [{ prompt: 'login', login, password: 'any' }, { prompt: 'consent' }]) {
      if (!answer.text.includes(`value="${form.prompt}"`)) continue
      answer = await this.follow(await this.ask(answer.url, form), issuer)
    }
    if (!answer.to) throw new Error(`the provider sends nobody back: ${answer.status} ${answer.text.slice(0, 400)}`)
    return answer.to
  }
}
