/** Findings about one definition, collected while a server's list is recorded. */
import type { Principal } from '#core/configuration/identity/principal.ts';
import type { ClassifierSettings } from '#core/contracts/config/tool-guard-classifier.ts';
import type { Classification, Classify } from '#core/guard/classifier/ports.ts';
import type { McpPorts, ToolFacts, ToolMark } from '../ports.ts';

export interface CheckedDefinition {
  readonly fingerprint: string;
  readonly about: ToolFacts;
  /** Kinds of findings for which the tool is held for a human. */
  readonly held?: readonly string[];
  /** Kinds of findings that are only recorded, or that hide the tool. */
  readonly noted?: readonly string[];
  readonly surface?: string;
  readonly shadows?: readonly string[];
  /** Result of the classifier. */
  readonly judged?: Classification;
}

export interface DefinitionClassifier {
  readonly ask: Classify;
  readonly settings: ClassifierSettings;
  /** Version of the configuration: another version may use the same name for a different module. */
  readonly version: number;
}

/** The caller whose request revealed the change. */
export type Actor = Pick<Principal, 'tenant' | 'key_id'>;
export type DriftPorts = Pick<
  McpPorts,
  'clock' | 'ids' | 'telemetry' | 'mcpStore' | 'pause' | 'ledger' | 'definitionTexts'
>;

/** A difference between a definition and its mark. */
export interface News {
  readonly tool: string;
  readonly mark: ToolMark;
  /** True for a new or changed definition, which is reported. */
  readonly drifted: boolean;
  /** True if the change is insignificant and takes effect immediately. */
  readonly passed?: boolean;
  /** True if only the text was newly stored. */
  readonly onlyText?: boolean;
}
