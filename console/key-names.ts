/** Names of API keys: evidence and requests have their ids. */
import { useCallback, useMemo } from 'preact/hooks';
import type { Api } from './api.ts';
import { useLive } from './live.ts';

interface KeyNames {
  /** The name of a key, or its id if the key is not one of the tenant's. */
  readonly nameOf: (id: string) => string;
  /** Ids and names, by name. */
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
