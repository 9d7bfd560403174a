/** Field that selects which part of the organisations a page shows: a list of their levels, if there are any. */
import { useCallback } from 'preact/hooks';
import type { Api } from './api.ts';
import { Choice } from './design/field.tsx';
import { levelsOf } from './levels.ts';
import { useLive } from './live.ts';

interface LevelFieldProps {
  readonly api: Api;
  /** Empty string for all levels. */
  readonly path: string;
  readonly choose: (path: string) => void;
}

export function LevelField({ api, path, choose }: LevelFieldProps) {
  const ask = useCallback((signal: AbortSignal) => api.get<'listEnvironments'>('identity/environments', signal), [api]);
  const levels = levelsOf(useLive(ask, 0).value?.environments ?? []);
  if (levels.length === 0) return null;
  const options = levels.map((level) => [level, level] as const);
  return (
    <Choice
      label="Part of the organisation"
      value={path}
      choose={choose}
      options={[['', 'Everything that your key may see'], ...options]}
    />
  );
}
