/** Which part of the organisations a page shows: a list of their levels, where there are any. */
import { useCallback } from 'preact/hooks';
import type { Api } from './api.ts';
import { levelsOf } from './levels.ts';
import { useLive } from './live.ts';

interface LevelFieldProps {
  readonly api: Api;
  /** Empty for everything. */
  readonly path: string;
  readonly choose: (path: string) => void;
}

export function LevelField({ api, path, choose }: LevelFieldProps) {
  const ask = useCallback((signal: AbortSignal) => api.get<'listEnvironments'>('identity/environments', signal), [api]);
  const levels = levelsOf(useLive(ask, 0).value?.environments ?? []);
  if (levels.length === 0) return null;
  return (
    <div>
      <label for="level">Part of the organisation</label>
      <select id="level" value={path} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">all that your key may see</option>
        {levels.map((level) => (
          <option key={level} value={level}>
            {level}
          </option>
        ))}
      </select>
    </div>
  );
}
