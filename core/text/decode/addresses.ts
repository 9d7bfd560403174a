/** Finds URLs, mail addresses and bank accounts in text, with a bounded amount of work. */

const web = /(?:[a-z][a-z0-9+.-]{1,15}:\/\/|www\.)[^\s<>"'`)\]}]{3,2048}/gi;
const withPath = /(?<![\w@/.-])(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}\/[^\s<>"'`)\]}]{1,2048}/gi;
const mail = /[^\s<>@,;:"'()[\]{}]{1,64}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}/gi;
const account = /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?![A-Za-z0-9])/g;
const maxAddresses = 32;

export function addressesIn(text: string): string[] {
  const found = new Set<string>();
  for (const pattern of [web, withPath, mail, account]) {
    if (pattern !== account && !/[@.:]/.test(text)) continue;
    for (const [address] of text.matchAll(pattern)) {
      if (found.size >= maxAddresses) return [...found];
      found.add(address.replace(/[.,;:!?*_~]+$/, ''));
    }
  }
  return [...found];
}
