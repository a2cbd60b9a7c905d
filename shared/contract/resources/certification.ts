import { isDraft, partialDate, requiredText, sortOrder, text, url, visibility } from '../fields.ts';
import { defineResource } from '../resource.ts';

export const certification = defineResource({
  name: 'certification',
  collection: 'certifications',
  description: 'Certificates the creator holds',
  fields: {
    name: requiredText(200, 'Name of the certificate', 'Certified database administrator'),
    issuer: text(200, 'Who issued it', 'Database Guild'),
    issue_date: partialDate('Issued', '2024-11'),
    expiry_date: partialDate('Valid until; null when it never ends', '2027-11'),
    credential_id: text(200, "The issuer's number for it", 'DG-20417'),
    credential_url: url('Where it can be verified', 'https://guild.example.com/verify/DG-20417'),
    visibility,
    is_draft: isDraft,
    sort_order: sortOrder,
  },
});
