/** What the guard and its classifier say of one definition, while a list of a server is noted. */

import type { Principal } from '#core/configuration/identity/principal.ts';
import type { ClassifierSettings } from '#core/contracts/config/tool-guard-classifier.ts';
import type { LedgerPort } from '#core/evidence/ports.ts';
import type { Classification, Classify } from '#core/guard/classifier/ports.ts';
import type { ClockPort, IdsPort, PausePort, TelemetryPort } from '#core/kernel/ports.ts';
import type { DefinitionTextsPort, McpStorePort, ToolFacts, ToolMark } from '../ports.ts';

export interface CheckedDefinition {
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

/** The caller whose request revealed the change. */
export type Actor = Pick<Principal, 'tenant' | 'key_id'>;
export type DriftPorts = ClockPort &
  IdsPort &
  LedgerPort &
  TelemetryPort &
  McpStorePort &
  PausePort &
  DefinitionTextsPort;

/** What is new about a definition. */
export interface News {
  readonly tool: string;
  readonly mark: ToolMark;
  /** A new or changed definition, which is reported. */
  readonly drifted: boolean;
  /** The change does not matter: it holds at once. */
  readonly passed?: boolean;
  /** Nothing is new but that its text is kept. */
  readonly onlyText?: boolean;
}
