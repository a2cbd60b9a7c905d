import { labelled, partialDate, requiredName, text, url, usualFields } from '../fields.ts';
import { defineResource } from '../resource.ts';

export const certification = defineResource({
  name: 'certification',
  collection: 'certifications',
  description: 'Certificates of the creator',
  words: {
    screen: 'cv',
    one: 'certificate',
    lead: 'Certificates that you hold, as your CV lists them.',
    begin: 'Add a certificate, and where it can be checked.',
  },
  fields: {
    name: labelled(
      'Name',
      requiredName(200, 'Name of the certificate', 'Certified database administrator'),
      'As it stands on the certificate.',
    ),
    issuer: labelled(
      'Who issued it?',
      text(200, 'Organization that issued the certificate', 'Database Guild'),
    ),
    issue_date: labelled('When?', partialDate('Issue date', '2024-11'), 'A year, a month or a day.'),
    expiry_date: labelled(
      'Until when is it valid?',
      partialDate('Expiry date; null if the certificate does not expire', '2027-11'),
      'Leave it empty when it never ends.',
    ),
    credential_id: labelled('Its number', text(200, 'Certificate number given by the issuer', 'DG-20417')),
    credential_url: labelled(
      'Where can it be checked?',
      url('URL at which the certificate can be verified', 'https://guild.example.com/verify/DG-20417'),
    ),
    ...usualFields,
  },
});
