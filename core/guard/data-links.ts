/** Finds links and images whose address has a placeholder that the model is meant to fill with data. */

import { nextOf } from '#core/text/decode/next-of.ts';
import type { TextFinding } from './finding.ts';

const maxCharacters = 2_048;
/** Services that record the requests they receive. */
const collectors =
  /\/\/(?:[\w-]{1,63}\.){0,4}(?:webhook\.site|requestbin\.(?:com|net)|pipedream\.net|interact\.sh|oast\.(?:fun|live|me|online|pro|site|us)|burpcollaborator\.net|beeceptor\.com|hookbin\.com|requestcatcher\.com|canarytokens\.com|dnslog\.cn)(?=[/:?#]|$)/i;
const talk =
  'conversation|chat_?history|history|transcript|context|system_?prompt|prompt|messages?|summary|memory|user_?data|private_?data|secrets?|answer|previous_?\\w{0,16}|everything';
const secret =
  'data|token|api_?key|password|credentials?|cookies?|env|keys?|email|payload|content|b(?:ase)?64\\w{0,24}|exfil';
const open = String.raw`(?:\{\{?|<|\[|%7B|%5B|%3C|\$\{|\$\(|__|=)\s{0,2}(?:[a-z0-9 _.-]{0,40}[ _.-])?`;
const close = String.raw`(?:[ _.-][a-z0-9 _.-]{0,40})?\s{0,2}(?:\}|>|\]|%7D|%5D|%3E|\)|__)`;
const talkPlace = new RegExp(`${open}(?:${talk})${close}`, 'i');
const secretPlace = new RegExp(`${open}(?:${talk}|${secret})${close}`, 'i');
const capitals =
  /[?&=/][A-Z_]{0,24}(?:CONVERSATION|HISTORY|SYSTEM_?PROMPT|TRANSCRIPT|SECRETS?|YOUR_DATA|DATA_HERE|CONTEXT|BASE64)[A-Z_]{0,24}(?=[&#/]|$)/;

export function* dataLinks(text: string): Iterable<TextFinding<'data_link'>> {
  if (!text.includes('//')) return;
  const places = [nextOf(text, ')'), nextOf(text, '"'), nextOf(text, "'"), nextOf(text, '\n')];
  for (let at = text.indexOf('//'); at >= 0; at = text.indexOf('//', at + 2)) {
    const end = Math.min(...places.map((next) => next(at)), at + maxCharacters, text.length);
    const before = text.slice(Math.max(0, at - 200), at);
    const picture = isPicture(before);
    const address = isBetweenAngles.test(before) ? text.slice(at, end).split('>', 1)[0]! : text.slice(at, end);
    const why = reasonOf(address, picture, picture || isLink(before));
    if (why !== undefined) {
      const start = at - (/(?:https?:)$/i.exec(before)?.[0].length ?? 0);
      yield { kind: 'data_link', description: why, severity: 'high', start, end };
    }
    at = Math.max(at, end - 2);
  }
}

/** Reports whether the address loads without a click. */
const isPicture = (before: string): boolean =>
  /!\[[^\]\n]{0,160}\]\(\s{0,2}<?(?:https?:)?$|(?:src|srcset|background|poster)\s?=\s?["']?(?:https?:)?$|url\(["']?(?:https?:)?$/i.test(
    before,
  );
const isLink = (before: string): boolean =>
  /\]\(\s{0,2}<?(?:https?:)?$|<https?:$|href\s?=\s?["']?(?:https?:)?$|^\[[^\]\n]{1,80}\]:\s{0,3}(?:https?:)?$/im.test(
    before,
  );

/** Opening of `<https://…>`, whose last character does not close a placeholder. */
const isBetweenAngles = /(?<!\(\s{0,2})<https?:$/i;

function reasonOf(address: string, picture: boolean, link: boolean): string | undefined {
  const query = address.search(/[?&=]|\/[^/\s]*[{<[$]/) >= 0;
  if (picture && query && (secretPlace.test(address) || capitals.test(address)))
    return 'An image whose address is to be filled with data; loading the image sends the data out.';
  if (link && query && (talkPlace.test(address) || capitals.test(address)))
    return 'A link whose address is to be filled with the conversation.';
  if ((picture || link) && collectors.test(address))
    return 'A link to a service that records the requests it receives.';
  return undefined;
}
