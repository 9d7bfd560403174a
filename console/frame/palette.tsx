/** Finds a page, a pending approval, a session or a tool by words, and opens it [console.palette]. */
import { useCallback, useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Api } from '../api.ts';
import { excerptOf, type Item } from '../approvals/items.ts';
import { Icon } from '../design/icon.tsx';
import { Text } from '../design/text.tsx';
import { useLive } from '../live.ts';
import type { Page } from '../page-names.ts';
import { go } from '../route.ts';
import { toolAddress } from '../tools/tool-address.ts';
import { type Entry, matching } from './entries.ts';
import { pageWords } from './pages.ts';

interface PaletteProps {
  readonly api: Api;
  /** Pages that are available to the key. */
  readonly shown: readonly Page[];
  readonly pending: readonly Item[];
  readonly close: () => void;
}

export function Palette({ api, shown, pending, close }: PaletteProps) {
  const [words, setWords] = useState('');
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const others = useOthers(api, shown);
  const found = matching([...pagesOf(shown), ...approvalsOf(pending), ...others], words);
  const at = Math.min(chosen, found.length - 1);
  const open = (entry: Entry | undefined) => {
    if (!entry) return;
    close();
    go(entry.page, entry.id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') open(found[at]);
    else if (step === undefined || found.length === 0) return;
    else setChosen((at + step + found.length) % found.length);
    event.preventDefault();
  };
  useEffect(() => document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' }), [id, at]);
  return (
    <>
      <div class="palette-input">
        <Icon of="search" />
        <input
          ref={input}
          role="combobox"
          aria-label="Search pages, approvals, sessions and tools"
          aria-expanded={found.length > 0}
          aria-controls={id}
          aria-activedescendant={found.length > 0 ? `${id}-${at}` : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellcheck={false}
          placeholder="Search pages, approvals, sessions, tools"
          value={words}
          onInput={(event) => {
            setWords(event.currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
        />
        <span aria-hidden="true">
          <kbd>Esc</kbd>
        </span>
      </div>
      {/* The keyboard moves through the list from the input. */}
      <div id={id} class="palette-list" role="listbox" aria-label="Matches">
        {found.map((entry, nth) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input takes the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus
          <div
            key={`${entry.page} ${entry.id ?? ''}`}
            id={`${id}-${nth}`}
            role="option"
            aria-selected={nth === at}
            onClick={() => open(entry)}
          >
            <Icon of={pageWords[entry.page].icon} />
            <span>
              <Text of={entry.name} />{' '}
              {entry.more !== undefined && (
                <small>
                  <Text of={entry.more} />
                </small>
              )}
            </span>
            <small>{entry.kind}</small>
          </div>
        ))}
      </div>
      <p class={found.length === 0 ? 'palette-none' : 'unseen'} role="status">
        {found.length === 0 ? 'Nothing matches.' : `${found.length} matches`}
      </p>
    </>
  );
}

const pagesOf = (shown: readonly Page[]): readonly Entry[] =>
  shown.map((page) => ({ kind: 'Page', page, name: pageWords[page].name }));

const approvalsOf = (pending: readonly Item[]): readonly Entry[] =>
  pending.map((item) => ({
    kind: 'Approval',
    page: 'approvals',
    id: item.envelope_id,
    name: item.tool,
    more: excerptOf(item) ?? item.target,
  }));

/** Returns sessions and tools, requested when the palette opens. The palette also works without them. */
function useOthers(api: Api, shown: readonly Page[]): readonly Entry[] {
  const offered = { sessions: shown.includes('sessions'), tools: shown.includes('tools') };
  const ask = useCallback(
    async (signal: AbortSignal): Promise<readonly Entry[]> => {
      const [sessions, tools] = await Promise.all([
        offered.sessions
          ? api.get<'listSessions'>('evidence/sessions?limit=100', signal).then((answer) => answer.sessions)
          : [],
        offered.tools ? api.get<'listMcpTools'>('mcp/tools', signal).then((answer) => answer.tools) : [],
      ]);
      return [
        ...sessions.map(({ session_id }) => ({
          kind: 'Session',
          page: 'sessions' as const,
          id: session_id,
          name: session_id,
        })),
        ...tools.map(({ upstream, tool }) => ({
          kind: 'Tool',
          page: 'tools' as const,
          id: toolAddress(upstream, tool),
          name: tool,
          more: upstream,
        })),
      ];
    },
    [api, offered.sessions, offered.tools],
  );
  return useLive(ask, 0).value ?? [];
}
