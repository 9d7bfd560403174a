/** Digests of each session's subscribed URIs at a server that treats all sessions as one client. */

export interface Subscriber {
  readonly session: string;
  /** Tenant and key: a key may open any number of sessions. */
  readonly key: string;
}

interface SubscribedUri {
  readonly key: string;
  readonly addresses: Set<string>;
}

/** Maximum number of sessions per server. The key with the most sessions loses its oldest subscriber first. */
const maxSubscribers = 2_000;

export class Subscriptions {
  readonly #held = new Map<string, SubscribedUri>();

  get(session: string): ReadonlySet<string> | undefined {
    return this.#held.get(session)?.addresses;
  }

  /** Returns the session's URIs. The caller may change the set. */
  of({ session, key }: Subscriber): Set<string> {
    const addresses = this.#held.get(session)?.addresses ?? new Set();
    if (!this.#held.delete(session)) this.#makeRoom();
    this.#held.set(session, { key, addresses });
    return addresses;
  }

  *values(): Generator<ReadonlySet<string>> {
    for (const { addresses } of this.#held.values()) yield addresses;
  }

  delete(session: string): void {
    this.#held.delete(session);
  }

  #makeRoom(): void {
    if (this.#held.size < maxSubscribers) return;
    const byKey = [...Map.groupBy(this.#held, ([, { key }]) => key).values()];
    const [oldest] = byKey.reduce((most, own) => (own.length > most.length ? own : most));
    if (oldest) this.#held.delete(oldest[0]);
  }
}
