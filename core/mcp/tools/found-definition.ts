/** What the guard and its classifier say of one definition, while a list of a server is noted. */
import type { ClassifierSettings } from '#core/contracts/config/tool-guard-classifier.ts';
import type { Classification, Classify } from '#core/tool-guard/classifier/ports.ts';
import type { ToolFacts } from '../ports.ts';

export interface Found {
  readonly fingerprint: string;
  readonly about: ToolFacts;
  /** Kinds of findings that wait for a human. */
  readonly held?: readonly string[];
  /** Kinds that are recorded, or hide the tool. */
  readonly noted?: readonly string[];
  readonly surface?: string;
  readonly shadows?: readonly string[];
  /** What the classifier said of it. */
  readonly judged?: Classification;
}

export interface DefinitionClassifier {
  readonly ask: Classify;
  readonly settings: ClassifierSettings;
  /** Version of the configuration: another one may name another module under the same name. */
  readonly version: number;
}
