/** The tokens of templates, with descriptions for users. */
export const variables = [
  { name: 'POLICY_TYPE', syntax: '{{POLICY_TYPE}}', description: 'Type of the policy, for example DATA_QUALITY.' },
  { name: 'POLICY_NAME', syntax: '{{POLICY_NAME}}', description: 'Name of the policy when the run began.' },
  {
    name: 'TIME',
    syntax: '{{TIME:yyyy-MM-dd}}',
    description:
      'When the run began, in UTC, by a pattern of yyyy, MM, dd, HH, mm, ss and SSS with - _ . = between them.',
  },
  { name: 'REQUEST_ID', syntax: '{{REQUEST_ID}}', description: 'Id of the request that began the run; unique.' },
  { name: 'EXECUTION_ID', syntax: '{{EXECUTION_ID}}', description: 'Number of the execution; unique.' },
  { name: 'RECORD_TYPE', syntax: '{{RECORD_TYPE}}', description: 'What is stored: GOOD, BAD or SUMMARY.' },
] as const
