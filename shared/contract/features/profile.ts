import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { updated } from '../envelopes.ts';
import {
  EmailOrEmpty,
  flag,
  type LabelledFields,
  labelled,
  markdown,
  optionalInputs,
  outputs,
  text,
  url,
} from '../fields.ts';

const email = (description: string, example: string) => ({
  ...text(254, description, example),
  kind: 'email' as const,
  input: documented(EmailOrEmpty, description, example),
});

/**
 * Fields of the profile of the person whom a site is about. Each site has one profile. Owners, editors and assistants
 * with a write scope can change it.
 */
export const profileFields = {
  name: labelled(
    'Name',
    text(200, 'Name of the creator', 'Ada Marsh'),
    'The name your visitors know you by.',
  ),
  headline: labelled(
    'Headline',
    text(200, 'One line below the name', 'I build dependable back ends'),
    'One line below your name: what you do and for whom.',
  ),
  summary: labelled(
    'About you',
    markdown(50_000, 'Introduction of the creator', 'Engineer, teacher, occasional sailor.'),
    'The first text that visitors read about you.',
  ),
  location: labelled('Location', text(200, 'Location of the creator', 'Porto, Portugal')),
  avatar_url: labelled(
    'Portrait',
    {
      ...url('URL of a portrait', 'https://cdn.example.com/ada.jpg'),
      kind: 'image_url' as const,
    },
    'Shown beside your name.',
  ),
  website: labelled('Another website', url('URL of another website', 'https://ada.example.com')),
  github: labelled(
    'Code',
    url('URL of a profile with source code, such as on GitHub', 'https://git.example.com/ada'),
    'Your page on GitHub, Codeberg, GitLab…',
  ),
  linkedin: labelled(
    'LinkedIn',
    url('URL of a profile in a professional network', 'https://people.example.com/ada'),
    'Or another professional network.',
  ),
  twitter: labelled(
    'Social media',
    url('URL of a profile with short posts, such as on Mastodon or X', 'https://social.example.com/ada'),
    'Your page on Mastodon, Bluesky, X…',
  ),
  email: labelled(
    'Email',
    email('Public email address', 'ada@example.com'),
    'Shown on your site, so that visitors can write to you.',
  ),
  cta_text: labelled('Button text', text(200, 'Text of the call-to-action button', 'Work with me')),
  cta_url: labelled('Button link', url('URL of the call-to-action button', 'https://ada.example.com/work')),
  cta_enabled: labelled(
    'Show a button below your name',
    flag('True if the call-to-action button is shown'),
    'For the most important action on your site.',
  ),
} satisfies LabelledFields;

export const Profile = titled('Profile', { ...outputs(profileFields), updated }).describe(
  'Profile of the creator',
);

/** Owner's update of the profile. Null unsets a field. */
export const UpdateProfile = z.strictObject(optionalInputs(profileFields));
