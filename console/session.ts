/**
 * The signed-in person. The key lives in this tab's sessionStorage and nowhere else: never in an address, a cookie or a
 * log [console.sign-in].
 */
import type { AnswerOf } from '#core/operations/endpoints.ts';
import { ApiError, parsed, refusalOf } from './api.ts';

export type Me = AnswerOf<'whoami'>;

const place = 'gateway-console-key';

export const keptKey = (): string | undefined => sessionStorage.getItem(place) ?? undefined;
export const keepKey = (key: string): void => sessionStorage.setItem(place, key);
export const forgetKey = (): void => sessionStorage.removeItem(place);

/**
 * Returns the token of a one-time sign-in link, and immediately removes it from the address and the tab's history.
 * @returns undefined if the address does not contain a token.
 */
export function takeLinkToken(): string | undefined {
  const [, token] = /^#sign-in=([\w-]{1,200})$/.exec(location.hash) ?? [];
  if (token !== undefined) history.replaceState(null, '', location.pathname);
  return token;
}

/** Exchanges the token for a key, once. @throws ApiError with the gateway's reason. */
export async function keyOfLink(token: string): Promise<string> {
  const response = await fetch('sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'error',
  }).catch(() => {
    throw new ApiError(0, 'unreachable', 'The gateway does not answer.');
  });
  const text = await response.text();
  if (!response.ok) throw refusalOf(response.status, text);
  return parsed<{ key: string }>(text).key;
}

const rank = { viewer: 0, operator: 1, admin: 2 } as const;

export const mayOperate = ({ role }: Me): boolean => rank[role] >= rank.operator;

/**
 * Checks whether the key belongs to a human with the role operator or admin. The gateway refuses other votes in any
 * case.
 */
export const mayVote = (me: Me): boolean => me.kind === 'human' && mayOperate(me);

export const displayName = ({ person, name, key_id }: Me): string => person ?? name ?? key_id;
