/**
 * A web ACL before REST APIs of this region [cloud.firewall]. Regional, so that it also judges calls that go round CloudFront.
 *
 * Bodies hold prompts, SQL and shell text: rules that judge bodies count and do not block. Nothing is sampled and nothing is
 * logged, because both keep headers, and keys stand in them; the metrics of each rule say what it did.
 */
import { CfnIPSet, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { edgeHeaders } from '#core/contracts/edge.ts';
import { errorKinds } from '#core/kernel/errors.ts';
import type { FirewallSettings } from './edge-settings.ts';

type Rule = CfnWebACL.RuleProperty;
type Statement = CfnWebACL.StatementProperty;

interface FirewallProps extends FirewallSettings {
  /** Name of the ACL in the account and region. */
  readonly name: string;
  /** What CloudFront sends; undefined: callers come directly, and their own address counts. */
  readonly originValues: readonly string[] | undefined;
  /** Networks that may call; empty: all. */
  readonly cidrs: readonly string[];
  /** Stages of REST APIs, by ARN. */
  readonly stages: readonly string[];
}

/** Rules of AWS that judge bodies, or what agents' clients rightly do: they count only. */
const counted: Readonly<Record<string, readonly string[]>> = {
  AWSManagedRulesCommonRuleSet: [
    ...[
      'SizeRestrictions_BODY',
      'EC2MetaDataSSRF_BODY',
      'GenericLFI_BODY',
      'GenericRFI_BODY',
      'CrossSiteScripting_BODY',
    ],
    // Programs need no User-Agent, and the id of a session in a path may end like a file's name.
    ...['NoUserAgent_HEADER', 'RestrictedExtensions_URIPATH'],
  ],
  AWSManagedRulesKnownBadInputsRuleSet: [...['JavaDeserializationRCE_BODY', 'Log4JRCE_BODY', 'ReactJSRCE_BODY']],
};

export class Firewall extends Construct {
  constructor(scope: Construct, id: string, props: FirewallProps) {
    super(scope, id);
    const { name, originValues, cidrs, stages } = props;
    const acl = new CfnWebACL(this, 'Acl', {
      name,
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visible(name),
      customResponseBodies: {
        limited: {
          contentType: 'APPLICATION_JSON',
          content: JSON.stringify({
            error: {
              code: errorKinds.rate_limit_error.status,
              type: 'rate_limit_error',
              message: 'Too many requests came from this address; a few minutes later it may call again.',
            },
          }),
        },
      },
      rules: [
        ...(originValues ? [blocked('origin', not(anyOf(originValues.map(isOriginValue))))] : []),
        ...(cidrs.length > 0
          ? [blocked('networks', not(anyOf(this.#within(name, cidrs, originValues !== undefined))))]
          : []),
        perAddress(props),
        // Behind CloudFront the list would judge CloudFront's addresses.
        ...(originValues ? [] : [managed('AWSManagedRulesAmazonIpReputationList')]),
        ...Object.keys(counted).map(managed),
      ].map((rule, priority) => ({ ...rule, priority })),
    });
    stages.forEach((resourceArn, at) => {
      new CfnWebACLAssociation(this, `Stage${at}`, { resourceArn, webAclArn: acl.attrArn });
    });
  }

  /** One set for each version of IP. */
  #within(name: string, cidrs: readonly string[], forwarded: boolean): Statement[] {
    return (['IPV4', 'IPV6'] as const).flatMap((ipAddressVersion) => {
      const addresses = cidrs.filter((cidr) => cidr.includes(':') === (ipAddressVersion === 'IPV6'));
      if (addresses.length === 0) return [];
      const set = new CfnIPSet(this, ipAddressVersion, {
        name: `${name}-${ipAddressVersion.toLowerCase()}`,
        scope: 'REGIONAL',
        ipAddressVersion,
        addresses,
      });
      const ipSetForwardedIpConfig = {
        headerName: edgeHeaders.client,
        fallbackBehavior: 'NO_MATCH',
        position: 'FIRST',
      };
      return [{ ipSetReferenceStatement: { arn: set.attrArn, ...(forwarded && { ipSetForwardedIpConfig }) } }];
    });
  }
}

const visible = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
});

const blocked = (name: string, statement: Statement): Omit<Rule, 'priority'> => ({
  name,
  statement,
  action: { block: {} },
  visibilityConfig: visible(name),
});

const not = (statement: Statement): Statement => ({ notStatement: { statement } });

/** AWS takes an `or` of two statements and more. */
const anyOf = (statements: readonly Statement[]): Statement =>
  statements.length === 1 ? statements[0]! : { orStatement: { statements: [...statements] } };

const isOriginValue = (searchString: string): Statement => ({
  byteMatchStatement: {
    fieldToMatch: { singleHeader: { Name: edgeHeaders.origin } },
    positionalConstraint: 'EXACTLY',
    searchString,
    textTransformations: [{ priority: 0, type: 'NONE' }],
  },
});

const perAddress = ({ requestsPerAddress, originValues }: FirewallProps): Omit<Rule, 'priority'> => ({
  name: 'rate',
  statement: {
    rateBasedStatement: {
      limit: requestsPerAddress,
      evaluationWindowSec: 300,
      ...(originValues
        ? {
            aggregateKeyType: 'FORWARDED_IP',
            forwardedIpConfig: { headerName: edgeHeaders.client, fallbackBehavior: 'MATCH' },
          }
        : { aggregateKeyType: 'IP' }),
    },
  },
  action: {
    block: {
      customResponse: {
        responseCode: errorKinds.rate_limit_error.status,
        customResponseBodyKey: 'limited',
        responseHeaders: [{ name: 'Retry-After', value: '300' }],
      },
    },
  },
  visibilityConfig: visible('rate'),
});

const managed = (name: string): Omit<Rule, 'priority'> => ({
  name,
  statement: {
    managedRuleGroupStatement: {
      vendorName: 'AWS',
      name,
      ruleActionOverrides: (counted[name] ?? []).map((rule) => ({ name: rule, actionToUse: { count: {} } })),
    },
  },
  overrideAction: { none: {} },
  visibilityConfig: visible(name),
});
