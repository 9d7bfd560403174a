/** The addresses of approvals, as callers and channels are given them. */

/** Where a browser reads how to decide what waits, and clients of the API the list. */
export const approvalsUrl = (adminUrl: string) => `${adminUrl}/admin/v1/approvals`;

export const approvalUrl = (adminUrl: string, envelopeId: string) => `${approvalsUrl(adminUrl)}/${envelopeId}`;
