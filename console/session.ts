/**
 * Who is signed in. The key lives in this tab's sessionStorage and nowhere else: never in an address, a cookie or a log
 * [console.sign-in].
 */
import type { AnswerOf } from '#core/contracts/operations.ts';

export type Me = AnswerOf<'whoami'>;

export interface Session {
  readonly key: string;
  readonly me: Me;
}

const place = 'gateway-console-key';

export const keptKey = (): string | undefined => sessionStorage.getItem(place) ?? undefined;
export const keepKey = (key: string): void => sessionStorage.setItem(place, key);
export const forgetKey = (): void => sessionStorage.removeItem(place);

const rank = { viewer: 0, operator: 1, admin: 2 } as const;

export const mayOperate = ({ role }: Me): boolean => rank[role] >= rank.operator;

/** Only humans vote, and only from operator on: the gateway refuses others whatever a page shows. */
export const mayVote = (me: Me): boolean => me.kind === 'human' && mayOperate(me);

export const nameOf = ({ person, name, key_id }: Me): string => person ?? name ?? key_id;
