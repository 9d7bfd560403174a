/**
 * Text from agents and servers. It may be hostile, so it is rendered as text nodes only, its invisible characters are
 * spelled out, and it cannot change the direction of the text around it [console.hostile-text].
 */
import { visibleLines, visibleText } from '#core/text/secrets/visible-text.ts';
import { highlightParts, type Language } from '../approvals/highlight.ts';

/** One line of text. */
export const Text = ({ of }: { readonly of: string }) => <bdi>{visibleText(of)}</bdi>;

/** One line of code, always read from left to right. */
export const Code = ({ of }: { readonly of: string }) => (
  <code>
    <bdi dir="ltr">{visibleText(of)}</bdi>
  </code>
);

const isDiff = (lines: readonly string[]): boolean =>
  lines.some((line) => line.startsWith('@@ ')) || (lines[0]?.startsWith('diff --git ') ?? false);

const diffClass = (line: string): string => {
  if (line.startsWith('+') && !line.startsWith('+++')) return 'added';
  if (line.startsWith('-') && !line.startsWith('---')) return 'removed';
  return line.startsWith('@@') ? 'place' : '';
};

interface IdLinkProps {
  readonly href: string;
  readonly id: string;
}

/**
 * A link that the stylesheet shortens in the middle. The whole id is its name and title, is shown on focus, and is what
 * gets copied.
 */
export function IdLink({ href, id }: IdLinkProps) {
  const text = visibleText(id);
  return (
    <a href={href} class="id-link" title={text} aria-label={text}>
      <code>
        <bdi dir="ltr">
          <span>{text.slice(0, -shortEnd)}</span>
          {text.slice(-shortEnd)}
        </bdi>
      </code>
    </a>
  );
}

/** Number of characters at the end that are always shown; the stylesheet has the same number. */
const shortEnd = 6;

/** Multi-line text. Colours the lines of a diff by their sign, and the parts of a command by their kind. */
export function Block({ of, language }: { readonly of: string; readonly language?: Language | undefined }) {
  const text = visibleLines(of);
  const lines = text.split('\n');
  if (language && !isDiff(lines))
    return (
      <pre>
        <span dir="ltr">
          {highlightParts(text, language).map(({ text, kind }, at) => (
            <span key={at} class={kind}>
              {text}
            </span>
          ))}
        </span>
      </pre>
    );
  const classOf = isDiff(lines) ? diffClass : () => '';
  return (
    <pre>
      {lines.map((line, at) => (
        <span key={at} class={classOf(line)} dir="ltr">
          {line}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}
