"""The application: jobs, projects, figures and pages."""
