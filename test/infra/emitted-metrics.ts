/** Reads from the source which metrics the code writes, and with which labels. */
import { sourceText } from '../support/source-text.ts';

/**
 * A call to the telemetry port with a literal name; the labels are the second argument of `count`, and the last of
 * `observe`.
 */
const call = /\.(count|gauge|observe)\(\s*'(svc_\w+)'([^;]*?)\)(?:;|,\n|\n)/g;
const labelsObject = /\{([^{}]*)\}/;

/** Returns the sorted label names of each metric, by metric name. */
export function emittedMetrics(): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const [, , name = '', rest = ''] of sourceText(['core', 'features', 'adapters', 'lambdas']).matchAll(call)) {
    const labels = (rest.match(labelsObject)?.[1] ?? '')
      .split(',')
      .map((member) => member.trim().split(':')[0]!.trim())
      .filter((label) => label !== '');
    found.set(name, labels.sort());
  }
  return found;
}
