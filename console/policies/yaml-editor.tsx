/**
 * A YAML editor: CodeMirror in a shadow root. There, its styles are constructed style sheets, which the page's content
 * security policy allows; in the document it would write style elements, which the policy forbids. Gutter markers are
 * left out, because they are images in data URLs [console.policy-editor].
 */
import { autocompletion, type CompletionContext, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import {
  bracketMatching,
  foldGutter,
  HighlightStyle,
  type IndentContext,
  indentOnInput,
  indentService,
  syntaxHighlighting,
} from '@codemirror/language';
import { lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'preact/hooks';
import { placeAt, suggestionsAt } from './completion.ts';
import type { Problem } from './written.ts';

interface YamlEditorProps {
  readonly label: string;
  /** The initial text; after that, the editor owns its content. */
  readonly text: string;
  readonly change: (text: string) => void;
  readonly problems: readonly Problem[];
}

export function YamlEditor({ label, text, change, problems }: YamlEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>();
  const changed = useRef(change);
  changed.current = change;
  useEffect(() => {
    const root = place.current!.shadowRoot ?? place.current!.attachShadow({ mode: 'open', delegatesFocus: true });
    const listener = EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) changed.current(state.doc.toString());
    });
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({ doc: text, extensions: [extensions(label), listener] }),
    });
    view.current = made;
    return () => made.destroy();
  }, [label]);
  useEffect(() => {
    const { current: shown } = view;
    if (!shown) return;
    const most = shown.state.doc.length;
    const diagnostics = problems.map(({ from, to, message }) => ({
      from: Math.min(from, most),
      to: Math.min(to, most),
      message,
      severity: 'error' as const,
    }));
    shown.dispatch(setDiagnostics(shown.state, diagnostics));
  }, [problems]);
  return <div ref={place} class="yaml-editor" />;
}

const extensions = (label: string): Extension => [
  lineNumbers(),
  foldGutter(),
  highlightSpecialChars(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  yaml(),
  indentService.of(indentAfter),
  syntaxHighlighting(colours),
  autocompletion({ override: [completions], activateOnTypingDelay: 50 }),
  EditorView.domEventHandlers({ beforeinput: replaceSelected }),
  keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap]),
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
  editorTheme,
];

/**
 * Replaces the selection with typed text. The browser would insert the text's style as a style attribute, which the
 * policy forbids.
 */
function replaceSelected(event: InputEvent, view: EditorView): boolean {
  const { inputType, data } = event;
  if (inputType !== 'insertText' || data === null || view.composing) return false;
  // Uses the browser's selection, which the editor may not have read yet. In a shadow root, the event has no ranges.
  const selected = (view.root as Document).getSelection();
  if (!selected?.anchorNode || !selected.focusNode || selected.isCollapsed) return false;
  const ends = [
    view.posAtDOM(selected.anchorNode, selected.anchorOffset),
    view.posAtDOM(selected.focusNode, selected.focusOffset),
  ];
  const [from, to] = [Math.min(...ends), Math.max(...ends)];
  event.preventDefault();
  const selection = { anchor: from + data.length };
  view.dispatch({ changes: { from, to, insert: data }, selection, userEvent: 'input.type' });
  return true;
}

/** Returns the parent of a new line: the entry whose keys are above it, or a key without a value. */
function indentAfter({ state }: IndentContext, pos: number): number | null {
  const before = state.doc.lineAt(pos).text.slice(0, pos - state.doc.lineAt(pos).from);
  if (before.trim() === '') return null;
  const column = /^[\s-]*/.exec(before)![0].length;
  return /:\s*$/.test(before) ? column + 2 : column;
}

function completions({ state, pos, explicit }: CompletionContext) {
  const place = placeAt(state.doc.toString(), pos);
  if (place.from === pos && !explicit && place.key === undefined) return null;
  const options = suggestionsAt(place).map(({ label, detail, isKey }) => ({
    label,
    apply: isKey ? `${label}: ` : label,
    type: isKey ? 'property' : 'enum',
    ...(detail !== '' && { info: detail }),
  }));
  return options.length === 0 ? null : { from: place.from, options, validFor: /^[\w-]*$/ };
}

/** The colours are the page's: custom properties are inherited into a shadow root. */
const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.string, tags.content], color: 'var(--good)' },
  { tag: [tags.bool, tags.null, tags.number, tags.keyword], color: 'var(--warn)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--quiet)', fontStyle: 'italic' },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: 'var(--quiet)' },
]);

const raised = { backgroundColor: 'var(--raised)', color: 'var(--ink)', border: '1px solid var(--line)' };

const editorTheme = EditorView.theme({
  '&': { fontSize: '0.875rem', color: 'var(--ink)', backgroundColor: 'var(--surface)', height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '0.5rem 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--quiet)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--accent) 8%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 28%, transparent)',
  },
  '.cm-selectionMatch, .cm-searchMatch': { backgroundColor: 'color-mix(in srgb, var(--warn) 28%, transparent)' },
  '.cm-tooltip, .cm-panels': raised,
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-fill)' },
  '.cm-completionInfo': { maxWidth: '22rem', padding: '0.4rem 0.6rem' },
  '.cm-diagnostic': { padding: '0.3rem 0.6rem', borderLeft: '4px solid var(--bad)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textUnderlineOffset: '3px',
  },
  '.cm-foldPlaceholder': { ...raised, padding: '0 0.4rem' },
});
