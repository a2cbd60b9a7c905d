import { labelled, partialDate, requiredName, text, url, usualFields } from '../fields.ts';
import { defineResource } from '../resource.ts';

export const certification = defineResource({
  name: 'certification',
  collection: 'certifications',
  description: 'Certificates the creator holds',
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
    issuer: labelled('Who issued it?', text(200, 'Who issued it', 'Database Guild')),
    issue_date: labelled('When?', partialDate('Issued', '2024-11'), 'A year, a month or a day.'),
    expiry_date: labelled(
      'Until when is it valid?',
      partialDate('Valid until; null when it never ends', '2027-11'),
      'Leave it empty when it never ends.',
    ),
    credential_id: labelled('Its number', text(200, "The issuer's number for it", 'DG-20417')),
    credential_url: labelled(
      'Where can it be checked?',
      url('Where it can be verified', 'https://guild.example.com/verify/DG-20417'),
    ),
    ...usualFields,
  },
});
