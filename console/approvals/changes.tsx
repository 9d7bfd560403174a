/** File changes as diffs, old text before new text: unified or side by side [console.card]. */
import { useCallback, useMemo, useState } from 'preact/hooks';
import { type FileChange, fileChanges } from '#core/effects/file-changes.ts';
import { countText } from '#core/kernel/count-text.ts';
import { visibleText } from '#core/text/secrets/visible-text.ts';
import type { Api } from '../api.ts';
import { Button } from '../design/button.tsx';
import { Icon } from '../design/icon.tsx';
import { Code } from '../design/text.tsx';
import { RelativeTime } from '../design/values.tsx';
import { useLive } from '../live.ts';
import { type Difference, differenceOf, maxRows, type Row, sectionsOf, sideBySide } from './diff.ts';
import type { Item } from './items.ts';
import { type KnownText, lastRead } from './last-read.ts';

/** Returns the file changes in a call, and the names of the parameters that they show in full. */
export const changesOf = (item: Item) => fileChanges(item);

type View = 'unified' | 'split';
const place = 'gateway-console-diff';

interface FileDifferencesProps {
  readonly item: Item;
  readonly files: readonly FileChange[];
  readonly api: Api;
}

export function FileDifferences({ item, files, api }: FileDifferencesProps) {
  const [view, setView] = useState<View>(() => (localStorage.getItem(place) === 'split' ? 'split' : 'unified'));
  const choose = (next: View) => {
    localStorage.setItem(place, next);
    setView(next);
  };
  const needsOld = files.some(({ content }) => content !== undefined);
  const { session_id } = item;
  const ask = useCallback(
    async (signal: AbortSignal) =>
      needsOld
        ? (await api.get<'audit'>(`audit?session=${encodeURIComponent(session_id)}&limit=200`, signal)).entries
        : [],
    [api, needsOld, session_id],
  );
  const { value: entries = [] } = useLive(ask, 0);
  return (
    <div class="differences">
      <p class="view">
        {(['unified', 'split'] as const).map((each) => (
          <button key={each} type="button" aria-pressed={view === each} onClick={() => choose(each)}>
            {each === 'unified' ? 'Unified' : 'Side by side'}
          </button>
        ))}
      </p>
      {files.map((file, at) => (
        <FileDifference key={at} file={file} view={view} known={lastRead(entries, item, file.path)} />
      ))}
    </div>
  );
}

interface FileDifferenceProps {
  readonly file: FileChange;
  readonly view: View;
  readonly known: KnownText | undefined;
}

function FileDifference({ file, view, known }: FileDifferenceProps) {
  // Each gateway response has new objects with the same strings.
  const parts = useMemo(
    () =>
      file.replaced
        ? file.replaced.map(({ before, after }) => differenceOf(before, after))
        : [differenceOf(known?.text, file.content ?? '')],
    [JSON.stringify(file), known?.text],
  );
  const [added, removed] = [sum(parts, 'added'), sum(parts, 'removed')];
  const isCompared = file.replaced !== undefined || known !== undefined;
  return (
    <section class="file" aria-label={`Changes of ${file.path}`}>
      <header>
        <strong>
          <Code of={file.path} />
        </strong>
        <span class="counts">
          {isCompared ? (
            <>
              <span class="plus">+{added}</span> <span class="minus">−{removed}</span>
              <span class="unseen"> lines</span>
            </>
          ) : (
            countText(added, 'line')
          )}
        </span>
      </header>
      {!file.replaced && (
        <p class="note">
          {known ? (
            <>
              Compared with what this session read <RelativeTime at={known.at} />. The file may have changed since.
            </>
          ) : (
            'The whole new content is shown. The current content of the file is not known.'
          )}
        </p>
      )}
      {parts.map((part, at) => (
        <ChangesPart
          key={at}
          of={part}
          view={isCompared && innerWidth >= splitWidth ? view : 'unified'}
          numbered={!file.replaced}
          title={parts.length > 1 ? `Edit ${at + 1} of ${parts.length}` : undefined}
        />
      ))}
    </section>
  );
}

const sum = (parts: readonly Difference[], of: 'added' | 'removed'): number =>
  parts.reduce((total, part) => total + part[of], 0);

/** Minimum window width for two columns. */
const splitWidth = 800;

interface PartProps {
  readonly of: Difference;
  readonly view: View;
  /** False for a snippet whose line numbers in the file are not known. */
  readonly numbered: boolean;
  readonly title: string | undefined;
}

function ChangesPart({ of, view, numbered, title }: PartProps) {
  const [isAll, setAll] = useState(false);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  // The card renders every second; the lines do not change.
  const table = useMemo(() => {
    const sections = sectionsOf(of.rows);
    let room = isAll ? Number.POSITIVE_INFINITY : maxRows;
    return (
      <table class={`diff ${view} ${numbered ? '' : 'plain'}`}>
        <tbody>
          {sections.map(({ rows, folded }, at) => {
            if (room <= 0) return null;
            if (folded && !open.has(at))
              return (
                <tr key={`fold-${at}`} class="fold">
                  <td colSpan={4}>
                    <button type="button" onClick={() => setOpen(new Set([...open, at]))}>
                      Show {countText(rows.length, 'unchanged line')}
                    </button>
                  </td>
                </tr>
              );
            const shown = rows.slice(0, room);
            room -= shown.length;
            return view === 'split' ? <SplitRows key={at} rows={shown} /> : <UnifiedRows key={at} rows={shown} />;
          })}
        </tbody>
      </table>
    );
  }, [of, view, numbered, isAll, open]);
  const isCut = !isAll && of.rows.length > maxRows;
  return (
    <>
      {title && <p class="note">{title}</p>}
      {of.notes.map((note) => (
        <p key={note} class="note told">
          <Icon of="info" /> {note}
        </p>
      ))}
      {of.rows.length === 0 && <p class="note">The text is empty.</p>}
      {table}
      {isCut && (
        <p class="cut">
          <strong>Part of it is not shown: {of.rows.length.toLocaleString('en')} lines.</strong>{' '}
          <Button small onClick={() => setAll(true)}>
            Show all lines
          </Button>
        </p>
      )}
    </>
  );
}

const signs = { same: ' ', added: '+', removed: '−' } as const;

const UnifiedRows = ({ rows }: { readonly rows: readonly Row[] }) => (
  <>
    {rows.map((row, at) => (
      <tr key={at} class={row.kind}>
        <td class="no">{row.before}</td>
        <td class="no">{row.after}</td>
        <td class="sign">{signs[row.kind]}</td>
        <td class="line">
          <LineText of={row} />
        </td>
      </tr>
    ))}
  </>
);

const SplitRows = ({ rows }: { readonly rows: readonly Row[] }) => (
  <>
    {sideBySide(rows).map(([old, fresh], at) => (
      <tr key={at}>
        <td class="no">{old?.before}</td>
        <td class={`line ${old ? old.kind : 'none'}`}>{old && <LineText of={old} signed />}</td>
        <td class="no">{fresh?.after}</td>
        <td class={`line ${fresh ? fresh.kind : 'none'}`}>{fresh && <LineText of={fresh} signed />}</td>
      </tr>
    ))}
  </>
);

/** A line of code: invisible characters are spelled out, and the text direction cannot change. */
function LineText({ of: { text, changed, kind }, signed }: { readonly of: Row; readonly signed?: boolean }) {
  const [start, end] = changed ?? [0, 0];
  return (
    <span dir="ltr">
      {signed && kind !== 'same' && <span class="sign">{signs[kind]} </span>}
      {visibleText(text.slice(0, start))}
      {changed && <mark>{visibleText(text.slice(start, end))}</mark>}
      {visibleText(text.slice(end))}
    </span>
  );
}
