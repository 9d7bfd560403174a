/** Names of API keys, because evidence and requests contain only their ids. */
import { useCallback, useMemo } from 'preact/hooks';
import type { Api } from './api.ts';
import { useLive } from './live.ts';

interface KeyNames {
  /** Returns the name of a key, or its id if the key does not belong to the tenant. */
  readonly nameOf: (id: string) => string;
  /** Ids and names, sorted by name. */
  readonly all: readonly (readonly [id: string, name: string])[];
}

export function useKeyNames(api: Api): KeyNames {
  const ask = useCallback((signal: AbortSignal) => api.get<'listIdentities'>('identity/identities', signal), [api]);
  const { value } = useLive(ask, 0);
  return useMemo(() => {
    const names = new Map(value?.keys.map(({ id, name }) => [id, name]));
    return {
      nameOf: (id) => names.get(id) ?? id,
      all: [...names].sort(([, a], [, b]) => a.localeCompare(b)),
    };
  }, [value]);
}
