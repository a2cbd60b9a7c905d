import { labelled, partialDate, requiredName, text, url, usualFields } from '../fields.ts';
import { defineResource } from '../resource.ts';

export const certification = defineResource({
  name: 'certification',
  collection: 'certifications',
  description: 'Certificates of the creator',
  labels: {
    screen: 'cv',
    one: 'certificate',
    lead: 'Your certificates, as listed on your CV.',
    begin: 'Add a certificate and its verification link.',
  },
  fields: {
    name: labelled(
      'Name',
      requiredName(200, 'Name of the certificate', 'Certified database administrator'),
      'The name on the certificate.',
    ),
    issuer: labelled('Issuer', text(200, 'Organization that issued the certificate', 'Database Guild')),
    issue_date: labelled('Date', partialDate('Issue date', '2024-11'), 'A year, a month or a day.'),
    expiry_date: labelled(
      'Expiry date',
      partialDate('Expiry date; null if the certificate does not expire', '2027-11'),
      'Leave empty if it does not expire.',
    ),
    credential_id: labelled(
      'Certificate number',
      text(200, 'Certificate number given by the issuer', 'DG-20417'),
    ),
    credential_url: labelled(
      'Verification link',
      url('URL at which the certificate can be verified', 'https://guild.example.com/verify/DG-20417'),
    ),
    ...usualFields,
  },
});
